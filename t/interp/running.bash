# running.bash - for tests of interpreters in running processes.

target=

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

# start COMMAND...: run it until it prints a line that begins with "ready", or
# with READY, for three minutes at most.
start() {
	local end=$((SECONDS + 180))

	rm -f "$BATS_TEST_TMPDIR/log"
	"$@" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	target=$!
	disown
	until grep -qs "^${READY:-ready}" "$BATS_TEST_TMPDIR/log"; do
		kill -0 "$target"
		[ $SECONDS -lt $end ]
		sleep 0.01
	done
	need_rights
}

stop() {
	kill -KILL "$target"
	target=
}

# need_rights: skip if stacks of the target may not be seen.
need_rights() {
	if ! stacksample -q -p "$target" -F 100 -d 0.1 --no-ask-jvm \
		>"$BATS_TEST_TMPDIR/probe" 2>&1; then
		! grep -q 'may not' "$BATS_TEST_TMPDIR/probe" ||
			skip "no right to look at processes"
	fi
}
