#!/usr/bin/env bats
# stackcollapse-speedscope.bats - the reader of traces of speedscope.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
}

@test "speedscope: each trace gives its stacks" {
	golden speedscope
}

@test "speedscope: --list names the profiles, --profile takes one" {
	local in=$DATA/speedscope/two-sampled.in

	run -0 stackcollapse-speedscope --list "$in"
	[ "$output" = "1 one seconds
2 two seconds" ]
	run -0 stackcollapse-speedscope --profile 2 "$in"
	[ "$output" = "$(cat "$DATA/speedscope/simple-sampled.folded")" ]
}

@test "speedscope: frames that close in odd order are said" {
	echo '{"profiles":[{"type":"evented","unit":"none","events":[
		{"type":"O","at":0,"frame":0},{"type":"O","at":1,"frame":1},
		{"type":"C","at":3,"frame":0},{"type":"C","at":4,"frame":1}]}],
		"shared":{"frames":[{"name":"a"},{"name":"b"}]}}' >p
	run -1 --separate-stderr stackcollapse-speedscope --strict p
	[ "$output" = "a 1
a;b 2" ]
	[[ $stderr == *"a frame ends before its callees"* ]]
}

@test "speedscope: samples and weights come in either order" {
	echo '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
		{"type":"sampled","unit":"none","weights":[1,2,null,-1],
			"samples":[[0],[0,1],[1],[1]]}]}' >p
	run -1 --separate-stderr stackcollapse-speedscope --strict p
	[ "$output" = "a 1
a;b 2" ]
	[[ $stderr == *"2 samples skipped"*"p:3: a weight is not a n"* ]]
}

@test "speedscope: frames that are open several times, and such that are not" {
	cat >p <<-'END'
	{"profiles":[{"type":"evented","unit":"none","events":[
	{"type":"O","at":0,"frame":0},{"type":"O","at":1,"frame":0},
	{"type":"O","at":2,"frame":1},{"type":"C","at":3,"frame":2},
	{"type":"C","at":3,"frame":0},{"type":"C","at":4,"frame":1},
	{"type":"C","at":5,"frame":0},{"type":"C","at":6,"frame":0}]},
	{"type":"evented","unit":"none","events":[
	{"type":"C","at":0,"frame":0},{"type":"O","at":0,"frame":1},
	{"type":"C","at":7,"frame":0},{"type":"C","at":7,"frame":1}]}],
	"shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"}]}}
	END
	run -0 --separate-stderr stackcollapse-speedscope --profile 1 p
	[ "$output" = "a 3
a;a 1
a;a;b 1" ]
	[[ $stderr == *"6 samples skipped"* ]]
	run -0 stackcollapse-speedscope -q --profile 2 p
	[ "$output" = "b 7" ]
}

@test "speedscope: what has no profiles is status 2" {
	local text

	for text in '{"foo":1}' '{"profiles":1}' '{}'; do
		run -2 --separate-stderr stackcollapse-speedscope <<<"$text"
		[[ $stderr == *"the file has no profiles"* ]] || return
	done
	echo '{"profiles":[]}' >p
	run -0 --separate-stderr stackcollapse-speedscope --strict p
	[ "$output$stderr" = "" ]
}

@test "speedscope: a profile that is not there is status 2" {
	run -2 --separate-stderr stackcollapse-speedscope --profile 3 \
		"$DATA/speedscope/two-sampled.in"
	[ -z "$output" ]
	[[ $stderr == *"no profile 3; --list"* ]]
}

@test "speedscope: profiles of different units are said" {
	cat >p <<-'END'
	{"shared":{"frames":[{"name":"a"}]},"profiles":[
	{"type":"sampled","name":"objects","unit":"none","samples":[[0]],"weights":[2]},
	{"type":"sampled","unit":"bytes","samples":[[0]],"weights":[64]}]}
	END
	run -0 --separate-stderr stackcollapse-speedscope p
	[ "$output" = "[unknown];a 64
objects;a 2" ]
	[[ $stderr == *"profiles have different units"* ]]
	run -0 --separate-stderr stackcollapse-speedscope --profile 2 p
	[ "$output$stderr" = "a 64" ]
	sed -i 's/none/bytes/' p
	run -0 --separate-stderr stackcollapse-speedscope p
	[ -z "$stderr" ]
}

@test "speedscope and stackprof: a file that begins with NUL is not empty" {
	printf '\0\0\0\3' >p
	for format in speedscope stackprof; do
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"p:0: not a $format file"* ]]
	done
}
