#!/usr/bin/env bats
# ci.bats - the script of doc/ci.md, which fails a job if a function is slower.

load ../helper

compare=$top_srcdir/doc/ci/compare

setup() {
	need_process_side
	cd "$BATS_TEST_TMPDIR" || return
}

# A recorder that has recorded before: FILE.folded beside the program.
fake_flame() {
	mkdir -p bin
	cat >bin/flame <<-'END'
	#!/bin/sh
	out=
	while [ "$1" != -- ]; do
		[ "$1" != -o ] || out=$2
		shift
	done
	program=$2
	n=$(($(cat count.$program 2>/dev/null || echo 0) + 1))
	echo $n >count.$program
	awk -v n=$n '{ $NF += n % 3 * 4 - 4; print }' "$program.folded" >"$out"
	END
	chmod +x bin/flame
	printf 'main;parse 1000\nmain;write 2000\nmain;sort 500\n' >old.folded
	cp old.folded same.folded
	printf 'main;parse 1000\nmain;write 2600\nmain;sort 500\n' >slow.folded
	printf 'main;parse 1000\nmain;write 1400\nmain;sort 500\n' >fast.folded
	PATH=$PWD/bin:$PATH
}

@test "the script passes an equal and a faster program, and fails a slower one" {
	fake_flame
	run -0 --separate-stderr "$compare" old same
	[[ $output == *'nothing changed'* ]]
	run -0 --separate-stderr "$compare" old fast
	run -1 --separate-stderr "$compare" old slow
	[[ $output == *$'\nup '*' write'* ]]
	grep -q ' write' report.txt
	xmllint --noout diff.svg
	MIN=50% run -0 "$compare" old slow
	# each program was recorded as often
	[ "$(cat count.slow)" -eq 10 ]
}

@test "the script fails with status 2 if a program cannot be recorded" {
	run -2 "$compare" old
	run -2 "$compare" ./none ./none
}

@test "the script finds a function that takes twice as long" {
	command -v cc >/dev/null || skip "no cc"
	stackrecord -q -e cpu-clock -o try.data -- true >/dev/null 2>&1 ||
		skip "nothing may be recorded here"
	cat >prog.c <<-'END'
	#include <stdlib.h>

	volatile unsigned sum;

	static void work(int n) { while (n-- > 0) sum += (unsigned)n; }
	void parse(int n) { work(N * n); }
	void print(int n) { work(2 * n); }

	int main(int argc, char *argv[])
	{
		for (int i = atoi(argv[argc - 1]); i > 0; i--) {
			parse(100000);
			print(100000);
		}
		return 0;
	}
	END
	cc -g -O1 -fno-inline -DN=2 -o old prog.c
	cc -g -O1 -fno-inline -DN=4 -o new prog.c
	RUNS=3 run -1 "$compare" ./old ./new 1000
	grep -E '^up .* parse$' report.txt
	run ! grep -E '^up .* print$' report.txt
}
