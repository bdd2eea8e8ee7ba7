# grammar.pl - runs for ever; which subroutine may call which is known, so that a
# stack that never was can be told.  w0 to w9 are each called by the one before,
# in different ways; rec is 51 deep under leaf.
use strict;
use warnings;
use List::Util qw(first);
no warnings 'recursion';

sub w0 { return w1(3) }
sub w1 { my $n = shift; my @x = map { w2($_) } 1 .. $n; return $x[0] }
sub w2 { my $x = shift; return first { w3($_) } $x, $x + 1 }
sub w3 { my $x = shift; return (sort { w4($a) <=> $b } $x, $x + 1)[0] }
sub w4 { my $x = shift; return eval { w5($x) } }
sub w5 { my $x = shift; return Thing->new($x) + 1 }
sub w7 { my $x = shift; my $code = sub { w8(@_) }; return $code->($x) }
sub w8 { rec(50); return w9(@_) }
sub w9 { my $x = shift; return $x + 1 }
sub rec { my $n = shift; return $n > 0 ? rec($n - 1) : leaf() }

sub leaf {
	my $x = 0;
	for (my $i = 0; $i < 20; $i++) { $x += $i }
	return $x;
}

package Thing;
use overload '+' => \&w6;
sub new { my ($class, $x) = @_; return bless { x => $x }, $class }
sub w6 { my $self = shift; return main::w7($self->{x}) }

package main;
$| = 1;
print "ready\n";
w0() while 1;
