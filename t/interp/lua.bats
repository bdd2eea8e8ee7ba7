#!/usr/bin/env bats
# lua.bats - functions of Lua in the stacks of running processes, for each Lua
# that is here and is supported.

load ../helper
load running

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

	for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
		! command -v "$lua" || :
	done
}

stop() {
	kill -KILL "${target[@]}"
	target=()
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
	within_minutes parked_are_equal "$n"
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

# sum_notes PHRASE: the numbers that stacksample has said before a phrase.
sum_notes() {
	awk -v phrase=" $1" 'match($0, "[0-9]+" phrase) {
		n += substr($0, RSTART) } END { print n + 0 }' \
		"$BATS_TEST_TMPDIR/notes"
}

# Sampled until enough is merged.  Of a thread that waits for a CPU, one stop is
# many samples: on a busy machine a few stops can be most of them.  Samples that
# are not merged mostly have no function of Lua, so that --no-native leaves them
# out.
enough_samples() {
	stacksample -p "${target[0]}" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad unmerged < <(awk -f "$HERE/grammar_lua.awk" \
		"$HERE/$program" "$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 100 ] || return 1
	all=$((all + $(sum_notes 'samples? (is|are) without frames')))
	unmerged=$(sum_notes 'samples? not merged')
	[ "$unmerged" -le $((1 + all / 20)) ]
}

# grammar_holds COMMAND...: run it with the program on until enough was sampled.
grammar_holds() {
	local all bad unmerged

	: >"$BATS_TEST_TMPDIR/notes"
	: >"$BATS_TEST_TMPDIR/folded"
	"$@" >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	target=($!)
	disown
	within_minutes grep -q ready "$BATS_TEST_TMPDIR/log"
	need_rights
	within_minutes enough_samples ||
		{ echo "# $all samples, $unmerged not merged" && false; }
	stop
	echo "# $all samples, $bad wrong, $unmerged not merged; $(tr '\n' ' ' \
		<"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
}

@test "a Lua that runs has stacks that the program can have" {
	local lua program=grammar.lua

	for lua in $(luas); do
		echo "# $lua"
		grammar_holds "$lua" "$HERE/$program"
		[[ $lua != *luajit ]] ||
			grammar_holds "$lua" -joff "$HERE/$program"
	done
}

@test "coroutines that were suspended and resumed have all of their callers" {
	local lua program=resumed.lua

	for lua in $(luas); do
		[[ $lua = */lua5.[2-9] ]] || continue
		echo "# $lua"
		grammar_holds "$lua" "$HERE/$program"
	done
}

@test "coroutines that HAProxy resumes have all of their callers" {
	local program=resumed.lua

	command -v haproxy >"$BATS_TEST_TMPDIR/haproxy" || skip "no haproxy"
	haproxy -vv | grep -q 'Built with Lua' || skip "HAProxy without Lua"
	cat >"$BATS_TEST_TMPDIR/cfg" <<-END
		global
		    nbthread 1
		    lua-load $HERE/$program
		defaults
		    mode http
		    timeout client 1s
		    timeout server 1s
		    timeout connect 1s
		frontend f
		    bind unix@$BATS_TEST_TMPDIR/socket
	END
	grammar_holds haproxy -db -f "$BATS_TEST_TMPDIR/cfg"
}

@test "a LuaJIT whose pointers have 32 bits is refused by its name" {
	[ -x "$top_builddir/t/programs/fakeluajit" ] ||
		skip "t/programs/fakeluajit is not built"
	"$top_builddir/t/programs/fakeluajit" >"$BATS_TEST_TMPDIR/log" 3>&- &
	target=($!)
	disown
	within_minutes grep -q ready "$BATS_TEST_TMPDIR/log"
	need_rights
	run -0 --separate-stderr stacksample -p "${target[0]}" -d 0.1 --folded
	[[ $output == *'main;'* ]]
	[[ $stderr == *'has LuaJIT: a build without LJ_GC64 is not supported; only native frames are shown'* ]]
}

grows_in_place() {
	stacksample -q -p "${target[0]}" -F 50 -d 0.2 --folded --srcline \
		>"$BATS_TEST_TMPDIR/folded"
	grep -q 'grow.lua:6);.*grow.lua:5);.*grow.lua:4);.*grow.lua:3);' \
		"$BATS_TEST_TMPDIR/folded"
}

@test "a LuaJIT whose stack of values grows has all of its functions" {
	local moment

	need_plain "memset() of a sanitizer is not where LuaJIT is stopped"
	[ -x "$top_builddir/t/programs/luagrow" ] ||
		skip "t/programs/luagrow is not built"
	for moment in old new; do
		"$top_builddir/t/programs/luagrow" $moment \
			>"$BATS_TEST_TMPDIR/log" 3>&- &
		target=($!)
		disown
		within_minutes grep -q . "$BATS_TEST_TMPDIR/log"
		! grep -q none "$BATS_TEST_TMPDIR/log" ||
			skip "no LuaJIT with LJ_GC64"
		need_rights
		within_minutes grows_in_place
		run -1 grep -F '[unmerged]' "$BATS_TEST_TMPDIR/folded"
		stop
	done
}
