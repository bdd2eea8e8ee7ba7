#!/usr/bin/env bats
# node.bats - functions of JavaScript in the stacks of running processes, for
# each node that is here: that of the PATH, and those in NODES.

load ../helper
load running

HERE=$BATS_TEST_DIRNAME

setup() {
	need_process_side
	need_native
}

nodes() {
	local file

	for file in $NODES $(type -P node nodejs); do
		"$file" -e 'const [v8] = process.versions.v8.split(".");
process.exit(process.arch === "x64" && v8 >= 10 && v8 <= 13 ? 0 : 1)' \
			2>/dev/null && readlink -f "$file"
	done | sort -u
}

need_node() {
	[ -n "$(nodes)" ] || skip "no node that is supported"
}

# Stacks that the program printed: of functions name, file and line, and the line
# where they are, which park() has left.
as_printed() {
	awk '/^end$/ {
			sub(/ [0-9]*$/, "", stack)
			print substr(stack, 2)
			stack = ""
			next
		}
		{ stack = stack ";" $0 }' | sort -u
}

# The same of folded stacks, which have columns, and builtins without a script.
as_sampled() {
	sed -n '/node_parked/s/ [0-9]*$//p' | awk -F';' '{
		stack = ""
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^Builtins_/)
				continue
			line = $i
			sub(/.*:/, "", line)
			sub(/\)$/, "", line)
			if (!sub(/:[0-9]+ \(.*\)$/, "", $i) &&
				!sub(/:[0-9]+$/, "", $i))
				line = 1
			stack = stack ";" $i " " line
		}
		sub(/ [0-9]*$/, "", stack)
		print substr(stack, 2)
	}' | sort -u
}

parked_is_equal() {
	as_printed <"$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/want"
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --no-native \
		--srcline | as_sampled >"$BATS_TEST_TMPDIR/got"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -eq 31 ] &&
		cmp -s "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

@test "threads that wait have the functions, files and lines of Error.stack" {
	local node

	need_node
	for node in $(nodes); do
		echo "# $node"
		READY=end start "$node" "$HERE/node_parked.js"
		within_minutes parked_is_equal ||
			diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
		stop
	done
}

# Code is optimised in time, so its stacks are of all tiers.
enough_samples() {
	stacksample -p "$target" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad < <(awk -f "$HERE/node_grammar.awk" \
		"$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 100 ]
}

grammar_holds() {
	local all bad

	start "$1" "$HERE/node_grammar.js"
	: >"$BATS_TEST_TMPDIR/folded"
	within_minutes enough_samples
	stop
	echo "# $all samples, $bad wrong; $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
}

@test "threads that run have stacks that the program can have" {
	local node

	need_node
	for node in $(nodes); do
		echo "# $node"
		grammar_holds "$node"
	done
}

inlined_is_seen() {
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --no-native \
		>"$BATS_TEST_TMPDIR/folded"
	grep -Eq ';outer [^;]*:7:[^;]*;middle [^;]*:6:[^;]*;inner [^;]*:5:[^;]*;park ' \
		"$BATS_TEST_TMPDIR/folded"
}

@test "inlined functions of optimised code are shown" {
	local node

	need_node
	for node in $(nodes); do
		echo "# $node"
		start "$node" --allow-natives-syntax "$HERE/node_inlined.js"
		within_minutes inlined_is_seen
		stop
	done
}

@test "of a runtime that can name its functions the option is told" {
	cp "$(type -P sleep)" "$BATS_TEST_TMPDIR/deno"
	"$BATS_TEST_TMPDIR/deno" 60 3>&- &
	target=$!
	disown
	run --separate-stderr stacksample -p "$target" -F 50 -d 0.1
	[ "$status" -eq 0 ] || skip "no right to look at processes"
	[[ $stderr == *"has deno; "*--perf-basic-prof* ]]
}
