# recording.bash - what the tests of stackrecord share.

# need_events: skip the test where perf_event_open(2) is refused.
need_events() {
	need_process_side
	cd "$BATS_TEST_TMPDIR" || return
	stackrecord -q -o probe -- true >probe.log 2>&1 ||
		skip "no events: $(cat probe.log)"
}

# need_kernel: skip the test if the kernel's part may not be recorded.
need_kernel() {
	stackrecord -o probe -- true >probe.log 2>&1
	! grep -q 'kernel functions are not recorded' probe.log ||
		skip "$(cat probe.log)"
}

# sum FILE REGEX: the sum of counts of the folded lines that match.
sum() {
	awk -v re="$2" '$0 ~ re { n += $NF } END { printf "%.0f\n", n }' "$1"
}
