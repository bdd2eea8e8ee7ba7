#!/bin/sh
# range-perf.pl - the samples of a range of time, from and to perf script's text.
usage() {
	echo 'usage: perf script | range-perf.pl [--timeraw | --timezerosecs] from to' >&2
	exit 2
}

is_number() {
	case $1 in
	*[!0-9.]* | . | *.*.* | '') usage ;;
	esac
}

from=first
while :; do
	case ${1-} in
	-timeraw | --timeraw) from=zero ;;
	-timezerosecs | --timezerosecs) from=second ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -eq 2 ] || usage
is_number "$1"
is_number "$2"

# A line of a sample has its time, with decimals and a colon, and is followed by
# the event; frames begin with a TAB or an address.
LC_ALL=C exec awk -v origin="$from" -v from="$1" -v to="$2" '
/^#/ { next }
match($0, /[ \t][0-9]+[.][0-9]+: /) && $0 !~ /^[ \t]+[0-9a-f]+ .*\(.*\)$/ {
	time = substr($0, RSTART + 1, RLENGTH - 3) + 0
	if (!seen++)
		start = time
	if (origin == "first")
		time -= start
	else if (origin == "second")
		time -= int(start)
	wanted = time >= from
	# perf script writes in the order of time.
	if (time > to)
		exit
}
wanted'
