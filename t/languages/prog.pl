# prog.pl - work of three kinds.
use strict;
use warnings;

sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }

sub order { $a <=> $b }

sub sorted {
	my $n = shift;
	return (sort order map { $_ * 7919 % $n } 0 .. $n - 1)[$n / 2];
}

sub words {
	my %seen;
	$seen{"w" x ($_ % 50) . $_ % 1000} += $_ for 0 .. shift() - 1;
	return scalar keys %seen;
}

print fib(18), " ", sorted(3000), " ", words(30000), "\n";
