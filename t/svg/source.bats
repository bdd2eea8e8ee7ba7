#!/usr/bin/env bats
# source.bats - flamegraph --source: lines of the source in the picture.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tree/lib outside
	printf 'line %s of a.c\n' {1..40} >tree/a.c
	printf 'line %s of b.py\n' {1..9} >tree/lib/b.py
	printf 'secret\n' >outside/key.c
}

# picture STACK...: the table of the source as text, without its numbers.
picture() {
	printf '%s 1\n' "$@" | flamegraph --no-deflate --source tree >out.svg 2>err
	sed -n 's/.*data-fg="source"[^>]*>\([^<]*\)<.*/\1/p' out.svg | base64 -d |
		tr -c '[:print:]\t' '\n' >lines
}

@test "lines around samples are in the picture, and no others" {
	picture 'main:a.c:12;run (lib/b.py:2)' 'main:a.c:14_[i]'
	[ ! -s err ]
	[ "$(grep -c 'of a.c' lines)" -eq 13 ]
	grep -q 'line 7 of a.c' lines
	grep -q 'line 19 of a.c' lines
	[ "$(grep -c 'of b.py' lines)" -eq 7 ]
}

@test "a name has its file and line in the table" {
	seq 1 >tree/a.c
	seq 1 >tree/b.c
	printf '%s 1\n' 'f:a.c:1;g:b.c:1' | flamegraph --no-deflate --source tree |
		sed -n 's/.*data-fg="source"[^>]*>\([^<]*\)<.*/\1/p' | base64 -d >table
	# At its end, for each name: distance from the name before, twice the
	# line and 1 as the file is another, and the file; that of g comes first.
	od -An -tx1 -v table | tr -d ' \n' | grep -q '010301010300$'
}

@test "a file is found without the first parts of its path" {
	picture 'main:/build/x/a.c:3' 'run (/home/u/../src/lib/b.py:1)'
	[ ! -s err ]
	grep -q 'line 1 of a.c' lines
	grep -q 'line 1 of b.py' lines
}

@test "nothing outside of the folder is read" {
	ln -s ../outside tree/link
	ln -s ../outside/key.c tree/key.c
	mkfifo tree/pipe.c
	mkdir tree/dir.c
	picture "f:$PWD/outside/key.c:1" 'f:../outside/key.c:1' \
		'f:link/key.c:1' 'f:lib/../../outside/key.c:1' 'f:key.c:1' \
		'f:pipe.c:1' 'f:dir.c:1' 'f:/:1' "f:$(printf 'x/%.0s' {1..5000})key.c:1"
	grep -q '^flamegraph: --source: tree has 0 of 9 files; it lacks ' err
	run ! grep -q 'data-fg="source"' out.svg
	ln -s tree linked
	printf 'main:a.c:12 1\n' | flamegraph --source linked | grep -q 'data-fg="source"'
}

@test "names without a line, lines beyond the file, and columns are no source" {
	picture 'main;f (a.c);g:0' 'h:a.c:0' 'i /srv/a.js:1:1' 'a.c:3' ':3' '(:3)' 'x:y:3'
	grep -qx 'flamegraph: --source: no frame has a line; record with --srcline' err
	picture 'main:a.c:4000000000' 'main:a.c:99999999999999999999'
	picture 'main:a.c:2147483647'
	run ! grep -q 'of a.c' lines
}

@test "hostile files are bounded, and their text is no markup" {
	{
		printf '</metadata><script>\033[31m\377\0\t<b>%0.s' {1..100}
		echo
		head -c 100000 /dev/zero | tr '\0' '\200'
	} >tree/a.c
	picture 'main:a.c:1' 'main:a.c:2'
	[ "$(wc -c <lines)" -lt 3000 ]
	grep -qF '\x1b[31m\xff\x00	<b>' lines
	xmllint --noout out.svg
	run ! grep -qF '[31m' out.svg
	truncate -s 9M tree/a.c
	picture 'main:a.c:1'
	grep -q 'it lacks a.c' err
	yes 'some words that fill a line of source' | head -n 90000 >tree/a.c
	cp tree/a.c tree/z.c
	{
		seq -f 'f:a.c:%.0f 2' 1 9 90000
		seq -f 'f:z.c:%.0f 1' 1 9 90000
	} | flamegraph -q --source tree >out.svg
	[ "$(wc -c <out.svg)" -lt 1000000 ]
	yes "$(head -c 390 /dev/zero | tr '\0' x)" | head -n 20000 >tree/a.c
	{
		seq -f 'f:a.c:%.0f 2' 1 9 20000
		echo 'f:z.c:1 1'
	} | flamegraph --source tree 2>err >out.svg
	grep -q '^flamegraph: --source: dropped 1 file' err
}

@test "a path that is missing is printed without control characters" {
	picture "$(printf 'f:\033]0x\007/q.c:1')"
	run ! grep -q "$(printf '\033')" err
	grep -q 'it lacks' err
}

@test "the folder must be there, and a script" {
	run -2 --separate-stderr flamegraph --source nowhere
	[ "$stderr" = "flamegraph: --source nowhere: No such file or directory" ]
	run -2 --separate-stderr flamegraph --source tree --static
	[[ $stderr == *"--source and --static exclude each other"* ]]
}
