#!/usr/bin/env bats
# java.bats - stacks of Java by snapshots of jvmmap, stackcollapse-perf --jvm, on
# recordings of t/interp/Grammar.java.

load ../helper

setup_file() {
	local file

	for file in "$DATA"/jvm/*.xz; do
		xz -dc "$file" >"$BATS_FILE_TMPDIR/$(basename "$file" .xz)"
	done
	mkdir "$BATS_FILE_TMPDIR/empty"
	echo 'ffffffff81000000 T _text' >"$BATS_FILE_TMPDIR/empty/kallsyms"
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	out=$BATS_TEST_TMPDIR
}

# fold OPTION...: without the files of the machine that recorded.
fold() {
	stackcollapse-perf --all --srcline --symfs empty \
		--kallsyms empty/kallsyms --count samples "$@"
}

@test "--jvm: methods, lines and tiers of compiled, inlined and interpreted frames" {
	local jdk

	for jdk in jdk17 jdk25; do
		fold -q --jvm $jdk.snap $jdk.data | diff "$DATA/jvm/$jdk.folded" -
	done
}

@test "--jvm: stacks that the program can have" {
	local jdk all bad

	for jdk in jdk17 jdk25; do
		stackcollapse-perf -q --all --symfs empty --count samples \
			--kallsyms empty/kallsyms --jvm $jdk.snap $jdk.data |
			sed 's/;.*\(;java\/lang\/Thread[.]run_\[0\]\)/\1/' >"$out/folded"
		read -r all bad _ < <(awk -f "$BATS_TEST_DIRNAME/../interp/hotspot_grammar.awk" \
			"$out/folded")
		[ "$all" -gt 100 ]
		[ "$bad" -eq 0 ]
	done
}

@test "--jvm: a snapshot of another process changes nothing" {
	fold -q jdk17.data >"$out/without"
	run ! grep -q Grammar "$out/without"
	fold -q --jvm jdk25.snap jdk17.data | diff "$out/without" -
}

@test "--no-inline: methods that were compiled, without those inlined in them" {
	fold -q --jvm jdk17.snap --no-inline jdk17.data >"$out/folded"
	grep -q 'Grammar[.]rec:[0-9]*_\[j\]' "$out/folded"
	run ! grep -q '_\[i\]' "$out/folded"
}

@test "--jvm: snapshots of one JVM are given in the order of time" {
	head -c $(($(stat -c %s jdk17.snap) - 3)) jdk17.snap >"$out/cut"
	run -0 --separate-stderr fold --jvm "$out/cut" jdk17.data
	[[ $stderr == *"cut: the last snapshot is incomplete"* ]]
	run -2 --separate-stderr fold --jvm jdk17.snap --jvm "$out/cut" jdk17.data
	[[ $stderr == *"cut: unusable JVM snapshot:"*"no snapshot later"* ]]
	sed 's/^static CodeCache::_heaps .*/static CodeCache::_heaps 7000/' \
		jdk17.snap >"$out/other"
	run -2 --separate-stderr fold --jvm jdk17.snap --jvm "$out/other" jdk17.data
	[[ $stderr == *"it is from another process with the same id"* ]]
}

@test "--jvm: files that are no snapshot are an error" {
	run -2 --separate-stderr fold --jvm jdk17.data jdk17.data
	[[ $stderr == *"it is not a JVM snapshot"* ]]
	run -2 --separate-stderr fold --jvm empty jdk17.data
	[[ $stderr == *"not a regular file"* ]]
	run -2 --separate-stderr fold --jvm missing jdk17.data
	[[ $stderr == *"missing: "*"No such file"* ]]
	head -n 5 jdk17.snap >"$out/head"
	run -2 --separate-stderr fold --jvm "$out/head" jdk17.data
	[[ $stderr == *"its header is incomplete"* ]]
}

@test "--jvm: snapshots that are cut or changed end with a status" {
	local jdk

	for jdk in jdk17 jdk25; do
		echo "'$BATS_FILE_TMPDIR/$jdk.snap' stackcollapse-perf -q \
			--symfs empty --kallsyms empty/kallsyms $jdk.data --jvm"
	done | CUTS=${CUTS-100} TMPDIR=$out xargs -P "$(nproc)" -L 1 \
		"$top_builddir/t/programs/hostile"
}
