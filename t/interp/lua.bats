#!/usr/bin/env bats
# lua.bats - functions of Lua in the stacks of running processes, for each Lua
# that is here and is supported.

load ../helper

HERE=$BATS_TEST_DIRNAME

setup() {
	need_process_side
	need_native
	[ "$(uname -m)" = x86_64 ] || skip "Lua is known on x86-64 only"
	[ -n "$(luas)" ] || skip "no Lua that is supported"
	target=()
}

teardown() {
	kill -KILL "${target[@]}" 2>/dev/null || :
}

luas() {
	local lua

	for lua in lua5.2 lua5.3 lua5.4; do
		! command -v "$lua" || :
	done
}

stop() {
	kill -KILL "${target[@]}"
	target=()
}

# need_rights: skip if stacks of the target may not be seen.
need_rights() {
	if ! stacksample -q -p "${target[0]}" -F 100 -d 0.05 \
		>"$BATS_TEST_TMPDIR/probe" 2>&1; then
		grep -q 'may not' "$BATS_TEST_TMPDIR/probe" &&
			skip "no right to look at processes"
	fi
}

parked_are_equal() {
	stacksample -q --comm luaparked -F 20 -d 0.2 --folded --no-native \
		--srcline | sed -n 's/ [0-9]*$//; s/"//g; s/^[^#;]*;//p' |
		sort -u >"$BATS_TEST_TMPDIR/got"
	cat "$BATS_TEST_TMPDIR"/want.* | sort -u >"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -eq "$1" ] &&
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

all_are_parked() {
	local shape n=0

	rm -f "$BATS_TEST_TMPDIR"/want*
	ln -sf "$1" "$BATS_TEST_TMPDIR/luaparked"
	for shape in $("$1" "$HERE/parked.lua"); do
		"$BATS_TEST_TMPDIR/luaparked" "$HERE/parked.lua" "$shape" \
			"$BATS_TEST_TMPDIR/want.$shape" "$BATS_TEST_TMPDIR/fifo" \
			>/dev/null 2>&1 3>&- &
		target+=($!)
		disown
		n=$((n + 1))
	done
	[ "$n" -gt 20 ]
	need_rights
	within_a_minute parked_are_equal "$n"
	stop
}

@test "Luas that wait have the functions, files and lines of debug.getinfo()" {
	local lua

	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for lua in $(luas); do
		echo "# $lua"
		all_are_parked "$lua"
	done
}

enough_samples() {
	stacksample -p "${target[0]}" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad unmerged < <(awk -f "$HERE/grammar_lua.awk" \
		"$HERE/grammar.lua" "$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 100 ]
}

# A stack of values that grows in this moment has no known place.
grammar_holds() {
	local all bad unmerged

	: >"$BATS_TEST_TMPDIR/folded"
	"$1" "$HERE/grammar.lua" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	target=($!)
	disown
	within_a_minute grep -q ready "$BATS_TEST_TMPDIR/log"
	need_rights
	within_a_minute enough_samples
	stop
	echo "# $all samples, $bad wrong, $unmerged not merged; $(tr '\n' ' ' \
		<"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
	[ "$unmerged" -le $((1 + all / 20)) ]
}

@test "a Lua that runs has stacks that the program can have" {
	local lua

	for lua in $(luas); do
		echo "# $lua"
		grammar_holds "$lua"
	done
}
