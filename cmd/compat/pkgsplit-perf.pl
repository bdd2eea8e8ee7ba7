#!/bin/sh
# pkgsplit-perf.pl - samples without stacks, from perf script, by the package of
# the function: a/b/C::d is a;b;C::d.
here=$(readlink -f "$0") || exit 2
bin=$(readlink -f "${here%/*}/flamegraph.pl") || exit 2

"${bin%/*}/stackcollapse-perf" -q --count samples --mix --event-filter all "$@" | LC_ALL=C awk '
/^#/ || /xen_hypercall_sched_op|cpu_idle|native_safe_halt/ { next }
{
	count = $NF
	sub(/ [0-9.]+$/, "")
	# Between the process and the leaf are callers, where there are stacks.
	process = name = $0
	sub(/;.*/, "", process)
	sub(/.*;/, "", name)
	if (name ~ /\//)
		sub(/^L/, "", name)
	gsub(/[0-9]/, "X", name)
	gsub(/\//, ";", name)
	print process ";" name, count
}' | "${bin%/*}/foldmerge"
