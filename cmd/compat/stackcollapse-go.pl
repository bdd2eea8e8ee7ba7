#!/bin/sh
# stackcollapse-go.pl - the text of "go tool pprof -raw" to folded text.
# stackcollapse-pprof reads the profile itself, with less work and more names.
usage() {
	echo 'usage: stackcollapse-go.pl [--sample_index=N] [file ...]' >&2
	exit 2
}

index=''
while :; do
	case ${1-} in
	-sample_index=* | --sample_index=*) index=${1#*=} ;;
	-sample_index | --sample_index)
		[ $# -gt 1 ] || usage
		index=$2
		shift
		;;
	-?*) usage ;;
	*) break ;;
	esac
	shift
done
case $index in
*[!0-9]*) usage ;;
esac
here=$(readlink -f "$0") || exit 2
bin=$(readlink -f "${here%/*}/flamegraph.pl") || exit 2

# Samples are "COUNT ...: LOCATION ...", the leaf first; a location is "ID:
# 0xADDR [M=N] FUNCTION file:line s=N", and lines below it are its callers, into
# which it was inlined.
folded=$(mktemp) || exit 2
trap 'rm -f "$folded"' EXIT
cat -- "$@" | LC_ALL=C awk -v part="$index" '
$1 == "Samples:" {
	state = "types"
	types = 1
	next
}
state == "types" {
	if (NF > 1 && part == "") {
		print "stackcollapse-go.pl: which of these?  --sample_index=N" \
			>"/dev/stderr"
		for (i = 1; i <= NF; i++)
			print "  " i - 1 "  " $i >"/dev/stderr"
		failed = 1
		exit
	}
	if (part + 1 > NF) {
		print "stackcollapse-go.pl: there is no sample type " part \
			>"/dev/stderr"
		failed = 1
		exit
	}
	state = "samples"
	next
}
$1 == "Locations" { state = "locations"; next }
$1 == "Mappings" { state = ""; next }
state == "samples" && /:/ {
	split($0, half, ":")
	split(half[1], number, " ")
	if (number[part + 1] + 0 > 0 && half[2] != "") {
		n++
		count[n] = number[part + 1]
		stack[n] = half[2]
	}
	next
}
state == "locations" && $1 ~ /^[0-9]+:$/ {
	id = $1 + 0
	at = $3 ~ /^M=/ ? 4 : 3
	name[id] = $at
	gsub(/;/, ":", name[id])
	next
}
state == "locations" && NF > 1 {
	gsub(/;/, ":", $1)
	name[id] = $1 ";" name[id]
}
END {
	if (failed)
		exit 2
	if (NR > 0 && !types) {
		print "stackcollapse-go.pl: no samples in the input; it is " \
			"the text of go tool pprof -raw" >"/dev/stderr"
		exit 2
	}
	for (i = 1; i <= n; i++) {
		m = split(stack[i], where, " ")
		line = ""
		for (j = m; j > 0; j--) {
			f = name[where[j]] == "" ? "[unknown]" : name[where[j]]
			line = line == "" ? f : line ";" f
		}
		print line, count[i]
	}
}' >"$folded" || exit 2
"${bin%/*}/foldmerge" "$folded"
