# job - some work in Perl: hashes, regular expressions, sorting, as often as the
# argument says.
use strict;
use warnings;

my $seed = 1;
my @words = map { $seed = $seed * 16807 % 2147483647; 'w' . $seed % 5000 }
    1 .. 20000;
my $sum = 0;

sub count_words {
	my %n;
	$n{$_}++ for @_;
	return sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n;
}

sub search {
	my $text = shift;
	my $found = () = $text =~ /w(\d+)5\b/g;
	(my $other = $text) =~ s/w(\d)/$1w/g;
	return $found + length $other;
}

sub join_words {
	my $text = '';
	$text .= sprintf '%s=%d;', $_, length for @_;
	return split /;/, $text;
}

for (1 .. shift) {
	$sum += count_words(@words);
	$sum += search(join ' ', @words);
	my @rest = join_words(@words);
	$sum += @rest;
}
print "$sum\n";
