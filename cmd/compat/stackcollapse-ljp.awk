#!/bin/sh
# stackcollapse-ljp.awk - traces of lightweight-java-profiler to folded text:
#
#	42 2  Order.total(Order.java:7)
#	      Main.main(Main.java:3)
#
# are 42 samples of a stack of two frames, the leaf first.
here=$(readlink -f "$0") || exit 2
bin=$(readlink -f "${here%/*}/flamegraph.pl") || exit 2

folded=$(mktemp) || exit 2
trap 'rm -f "$folded"' EXIT
cat -- "$@" | LC_ALL=C awk '
function flush() {
	if (stack != "")
		print stack, count
	stack = ""
}
{ lines++ }
$1 == "Total" { exit }
$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && NF > 2 {
	flush()
	count = $1
	sub(/^[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+/, "")
	first = 1
}
NF > 0 && count != "" {
	sub(/^[ \t]+/, "")
	sub(/[ \t\r]*(\([^()]*\))?[ \t\r]*$/, "")
	gsub(/;/, ":")
	stack = first ? $0 : $0 ";" stack
	first = 0
}
END {
	flush()
	if (lines > 0 && count == "") {
		print "stackcollapse-ljp.awk: no stack in the input" \
			>"/dev/stderr"
		exit 2
	}
}' >"$folded" || exit 2
"${bin%/*}/foldmerge" "$folded"
