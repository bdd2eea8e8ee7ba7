# parked.pl DIRECTORY - one process for each way to call a subroutine, which
# waits in it.  DIRECTORY/PID gets its stack by caller(), root first, as
# stacksample prints it.
use strict;
use warnings;
use List::Util qw(first reduce);

my $directory = shift;
pipe(my $never, my $unused) or die;

sub at {
	my ($name, $file, $line) = @_;
	$file =~ s/^\(eval \d+\)/(eval)/;
	return $name eq $file ? "$file:$line" : "$name ($file:$line)";
}

sub park {
	my (@stack, @frame);
	my @at = (__FILE__, __LINE__ + 9);
	for (my $i = 0; @frame = caller($i); $i++) {
		my $name = $frame[3];
		$name = "require $frame[6]" if $frame[7];
		unshift @stack, at($name, @at);
		@at = @frame[1, 2];
	}
	unshift @stack, at('main::RUNTIME', @at);
	record(join ';', @stack);
	sysread $never, my $byte, 1;
	return 1;
}

sub record {
	open my $file, '>', "$directory/$$.new" or die;
	print $file "$_[0]\n" or die;
	close $file or die;
	rename "$directory/$$.new", "$directory/$$" or die;
}

sub rec {
	my $n = shift;
	return $n > 0 ? rec($n - 1) : park();
}

{
	package Thing;
	use overload '+' => \&plus, '""' => sub { main::park(); 'thing' },
	    '<=>' => \&compare;
	sub new { return bless {}, shift }
	sub plus { return main::park() }
	sub compare { main::park(); return 0 }
	sub method { my $self = shift; return $self->inner(@_) }
	sub inner { return main::park() }
	our $AUTOLOAD;
	sub AUTOLOAD { return if $AUTOLOAD =~ /DESTROY/; return main::park() }
	sub TIESCALAR { return bless {}, shift }
	sub FETCH { return main::park() }
	package Thing::Derived;
	our @ISA = ('Thing');
	sub method { my $self = shift; return $self->SUPER::method(@_) }
	package Dying;
	sub new { return bless {}, shift }
	sub DESTROY { main::park() }
}

sub by_name { park(); return 0 }
sub by_eval { return eval { park() } }
sub by_signal {
	local $SIG{ALRM} = sub { park() };
	kill ALRM => $$;
	sleep 100;
}

tie my $tied, 'Thing';
*Other::alias = \&by_eval;
our @INC_HOOK = (sub {
	return unless $_[1] eq 'Made.pm';
	my @lines = ("package Made;\n", "main::park();\n", "1;\n");
	return sub { $_ = shift @lines; return defined $_ ? 1 : 0 };
});
push @INC, @INC_HOOK;

my @shapes = (
	sub { park() }, sub { rec(150) }, sub { Thing->new->method(1) },
	sub { Thing::Derived->new->method(1) }, sub { Thing->new->unknown },
	sub { my $x = Thing->new + 1 }, sub { my $x = '' . Thing->new },
	sub { my @x = sort { park() } 2, 1 }, sub { my @x = sort by_name 2, 1 },
	sub { my @x = sort { $a <=> $b } Thing->new, Thing->new },
	sub { my @x = map { park() } 1, 2 }, sub { my @x = grep { park() } 1 },
	sub { my $x = first { park() } 1, 2 },
	sub { my $x = reduce { park() } 1, 2 }, sub { by_eval() },
	sub { eval 'sub made { main::park() } made(); 1' or die },
	sub { eval "\n\nmain::park()" }, sub { require Made },
	sub { by_signal() }, sub { my $x = $tied },
	sub { local $SIG{__WARN__} = sub { park() }; warn 'x' },
	sub { local $SIG{__DIE__} = sub { park() }; eval { die 'x' } },
	sub { Dying->new; 1 }, sub { Other::alias() },
	sub { goto &by_eval }, sub { &{ sub { park() } }(1) },
	sub { 'abc' =~ /b(?{ park() })/ },
	sub { eval { my @x = sort { eval { park() } } 2, 1 } },
	sub { (my $x = 'abc') =~ s/b/park()/e },
	sub { do { park() } while (0) }, sub { for (1) { while (1) { park() } } },
);

# The stacks of these begin with two subroutines more.
sub start { my $shape = shift; return $shape->() }

my @children;
for my $shape (@shapes) {
	my $pid = fork;
	die unless defined $pid;
	if ($pid == 0) {
		start($shape);
		sleep 100;
		exit;
	}
	push @children, $pid;
}
select undef, undef, undef, 0.01
    until @shapes == grep { -e "$directory/$_" } @children;
$SIG{TERM} = sub { kill KILL => @children; exit };
$| = 1;
print "ready\n";
sleep 1 while 1;
