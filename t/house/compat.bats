#!/usr/bin/env bats
# compat.bats - in the place of FlameGraph's scripts and of inferno: the same
# results, and people's command lines as they stand.

load ../helper

# The links by FlameGraph's names, as they are installed.
setup_file() {
	local install=$BATS_FILE_TMPDIR/install

	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" \
		install prefix="$install" >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/log"
		return 1
	}
	COMPAT=$(echo "$install"/libexec/*/compat)
	export COMPAT
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "the links are relative, also by an ln that cannot make them so itself" {
	local ln

	ln=$(type -P ln)
	mkdir bin
	cat >bin/ln <<-END
	#!/bin/sh
	case \$1 in
	-*r*) exit 1 ;;
	esac
	exec $ln "\$@"
	END
	chmod +x bin/ln
	run -0 env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH="$PWD/bin:$PATH" \
		make -s -C "$top_builddir" install-exec-hook \
		DESTDIR="$PWD/it's here" prefix=/p libexecdir=/p/lib/exec
	mkdir -p "it's here/p/bin"
	echo ours >"it's here/p/bin/folddiff"
	mv "it's here" there
	run -0 cat there/p/lib/exec/*/compat/difffolded.pl
	[ "$output" = ours ]
}

readers() {
	sed -n 's|^READERS += cmd/collapse/||p' "$top_srcdir/Makefile.am"
}

# What people type is in bin; readers are for stackcollapse, and for scripts
# whose PATH begins with the compat folder.
@test "the readers of formats are installed where stackcollapse finds them" {
	local reader bin=${COMPAT%/*/*/*}/bin

	mkdir empty
	[ ! -e "$bin/stackcollapse-v8" ]
	[ ! -e "$bin/stackcollapse-pprof" ]
	for reader in $(readers); do
		has_process_side || [ -e "$top_builddir/cmd/collapse/$reader" ] ||
			continue
		run -0 env PATH="$PWD/empty" "$bin/stackcollapse" --version
		run -0 env PATH="$PWD/empty" "$COMPAT/$reader" --version
		[[ $output == "$reader (foldstack) "* ]]
	done
	for reader in speedscope callgrind; do
		set -- "$DATA/$reader"/*.in
		env PATH="$PWD/empty" "$bin/stackcollapse" "$1" >out
		"stackcollapse-$reader" "$1" | cmp out
		[ -s out ]
	done
}

@test "stackcollapse finds its readers in an installation that was moved" {
	local prefix=${COMPAT%/*/*/*} status=0

	mkdir moved empty
	cp -R "$prefix/bin" "$prefix/libexec" moved
	mv "$prefix/libexec" "$prefix/away"
	env PATH="$PWD/empty" moved/bin/stackcollapse "$DATA/v8/prof.in" >out ||
		status=$?
	mv "$prefix/away" "$prefix/libexec"
	[ $status -eq 0 ]
	stackcollapse-v8 "$DATA/v8/prof.in" | cmp out
}

@test "flame runs the flamegraph beside it, not another one in the PATH" {
	need_process_side
	mkdir bin
	printf '#!/bin/sh\necho "this is cargo"\n' >bin/flamegraph
	chmod +x bin/flamegraph
	run -0 env PATH="$PWD/bin:$PATH" flamegraph
	[ "$output" = 'this is cargo' ]
	run -0 env PATH="$PWD/bin:$PATH" "${COMPAT%/*/*/*}/bin/flame" --version
	[[ $output == 'flame (foldstack) '* ]]
	# The first folder of the PATH makes flamegraph ours again.
	run -0 env PATH="$COMPAT:$PWD/bin:$PATH" flamegraph --version
	[[ $output == 'flamegraph (foldstack) '* ]]
}

# A folder as the authors of the lines below had it: FlameGraph's scripts here
# and in other places, perf, traces and folded stacks.
workplace() {
	local dir

	for dir in . FlameGraph hack HOME/tools/FlameGraph; do
		mkdir -p "$dir"
		ln -sf "$COMPAT"/*.pl "$dir"
	done
	mkdir bin
	printf '#!/bin/sh\ncat "%s"\n' "$DATA/perf/jit.in" >bin/perf
	chmod +x bin/perf
	cp "$DATA/perf/jit.in" out.perf
	cp out.perf perf-script.out
	stackcollapse-perf out.perf >out.folded
	for dir in out.kern_folded working.folded broken.folded trace.txt \
		out.stacks offcputime.out.stacks; do
		cp out.folded $dir
	done
}

# as_is LINE PICTURE: the line runs, quietly but for remarks, and draws.
as_is() {
	echo "# $1"
	PATH=$COMPAT:$PWD/bin:$PATH HOME=$PWD/HOME FG=$PWD/FlameGraph \
		bash -o pipefail -c "$1" 2>err || {
		cat err
		return 1
	}
	run ! grep -iE 'usage|unknown|ambiguous|skipped' err
	xmllint --noout --nonet "$2"
	grep -q '<title>' "$2"
}

# The lines are as in their sources; only the recording before them is left out.
# shellcheck disable=SC2016 # their shell expands them
@test "command lines of people's scripts run unchanged" {
	workplace

	# github.com/brendangregg/FlameGraph, README.md
	as_is './stackcollapse-perf.pl out.perf > out.folded
./flamegraph.pl out.kern_folded > kernel.svg' kernel.svg
	as_is 'grep node out.kern_folded | ./flamegraph.pl > cpuid.svg' \
		cpuid.svg
	as_is 'cat working.folded | ./flamegraph.pl --cp > working.svg' \
		working.svg
	as_is 'cat broken.folded | ./flamegraph.pl --cp --colors mem > broken.svg' \
		broken.svg

	# the same, flamegraph.pl --help
	as_is './flamegraph.pl --title="Flame Graph: malloc()" trace.txt > graph.svg' \
		graph.svg

	# github.com/spacejam/sled, hack/flamerun.sh
	as_is 'perf script > out.perf
./hack/stackcollapse-perf.pl out.perf > out.folded
./hack/flamegraph.pl out.folded > flamegraph.svg' flamegraph.svg

	# github.com/jerometerry/perf, generate-flamegraph.sh
	as_is 'perf script | ./FlameGraph/stackcollapse-perf.pl | ./FlameGraph/flamegraph.pl --color=java --hash > flamegraph.svg' \
		flamegraph.svg

	# github.com/54shady/virtopt, genfg.sh
	as_is 'perf script -i perf.data &> perf.unfold
./stackcollapse-perf.pl perf.unfold &> perf.folded
./flamegraph.pl perf.folded > perf.svg' perf.svg

	# gitlab.com/gitlab-com/gl-infra/production-engineering/-/issues/10592
	as_is 'cat perf-script.out | ./stackcollapse-perf.pl --kernel | ./flamegraph.pl --hash --colors perl > temp.svg' \
		temp.svg

	# github.com/colm-mchugh/benchmark_scripts, perf_scripts/offcputime.sh
	as_is '$FG/flamegraph.pl --color=io --title="Off-CPU Time Flame Graph" --countname=us < offcputime.out.stacks > offcputime.$1.svg' \
		offcputime..svg

	# github.com/jvm-profiling-tools/perf-map-agent, bin/perf-java-flames
	as_is 'STACKS=out.perf COLLAPSED=out.collapsed PERF_FLAME_OUTPUT=java.svg FLAMEGRAPH_DIR=FlameGraph
$FLAMEGRAPH_DIR/stackcollapse-perf.pl $STACKS | tee $COLLAPSED | grep -v Gang | $FLAMEGRAPH_DIR/flamegraph.pl --color=java > $PERF_FLAME_OUTPUT' \
		java.svg

	# gist.github.com/meaku/ad1e76df00d8ad8daa5c
	as_is 'perf script | egrep -v "( __libc_start| LazyCompile | v8::internal::| Builtin:| Stub:| LoadIC:|\[unknown\]| LoadPolymorphicIC:)" | sed '"'s/ LazyCompile:[*~]\?/ /'"' | ~/tools/FlameGraph/stackcollapse-perf.pl > intermediate.out
~/tools/FlameGraph/flamegraph.pl intermediate.out > node-flame.svg' \
		node-flame.svg

	# gist.github.com/akochepasov/1d57a8ae9dca9e7daae0af58bd5508df
	as_is 'perf script | stackcollapse-perf.pl | flamegraph.pl > mm_flame.svg' \
		mm_flame.svg

	# github.com/brendangregg/FlameGraph, pull requests 325 and 344
	as_is 'cat out.stacks | ./flamegraph.pl --count ns --hash --bgcolor "#c3c7c7" --title "pread64"  > pread64.svg' \
		pread64.svg
	as_is 'cat out.stacks | flamegraph.pl --hash --colors=perl --flamechart > flamechart.svg' \
		flamechart.svg

	# github.com/Netflix/flamescope, issue 39
	as_is 'perf script -F comm,pid,tid,cpu,time,event,ip,sym,dso,trace | ./stackcollapse-perf.pl --tid | ./flamegraph.pl > tid.svg' \
		tid.svg
}

@test "what they draw is what our commands draw" {
	workplace
	stackcollapse-perf --kernel out.perf | flamegraph --color=java >ours.svg
	PATH=$COMPAT:$PATH
	stackcollapse-perf.pl --kernel out.perf |
		flamegraph.pl --color=java >theirs.svg
	cmp ours.svg theirs.svg
}

# FlameGraph's README: "./difffolded.pl out.folded1 out.folded2 | ./flamegraph.pl
# > diff2.svg"
@test "difffolded.pl is there too, with its options" {
	printf '%s\n' 'a;0x12 3' 'b 1' >old
	printf '%s\n' 'a;0x34 6' 'b 2' >new
	PATH=$COMPAT:$PATH
	difffolded.pl old new | flamegraph.pl >diff.svg
	xmllint --noout diff.svg
	difffolded.pl -n -s old new | grep -v '^#' >out
	[ "$(<out)" = $'a;0x... 6 6\nb 2 2' ]
	run -0 difffolded.pl -h
	[[ $output == *--normalize* ]]
}

# Each draws a picture of its own, by the shortest way that people type.
@test "every script that the manual names is there, and does what it says" {
	local name

	PATH=$COMPAT:$PATH
	for name in stackcollapse-{perf,gdb,elfutils,bpftrace,stap,jstack}.pl \
		stackcollapse-{go,faulthandler,recursive}.pl stackcollapse.pl \
		stackcollapse-chrome-tracing.py stackcollapse-ljp.awk \
		stackcollapse-xdebug.php files.pl pkgsplit-perf.pl \
		range-perf.pl inferno-{flamegraph,diff-folded} \
		inferno-collapse-{dtrace,ghcprof,guess,perf,recursive}; do
		[ -x "$COMPAT/$name" ] || ! echo "$name"
		grep -q "$name" "$top_srcdir/man/foldstack-migration.7" ||
			! echo "$name has no line in the manual"
	done
	for name in bpftrace faulthandler jstack stap xdebug; do
		set -- "$DATA/$name"/*.in
		case $name in
		xdebug) script=stackcollapse-xdebug.php ;;
		*) script=stackcollapse-$name.pl ;;
		esac
		"$script" "$1" | cmp - <("stackcollapse-$name" "$1")
		[ -s "$1" ]
	done
}

@test "files.pl: the sizes of files by folder" {
	PATH=$COMPAT:$PATH
	mkdir -p "d/a b/c"
	printf 12345 >"d/a b/c/x;y"
	printf 1 >$'d/two\nlines'
	files.pl "$PWD/d" >sizes
	here=${PWD#/}
	here=${here//\//;}
	grep -qxF "${here//_/_};d;a_b;c;x;y 5" sizes
	grep -qxF "$here;d;two_lines 1" sizes
	files.pl d | grep -qxF 'd;two_lines 1'
	files.pl d | flamegraph.pl --hash --countname=bytes >files.svg
	xmllint --noout files.svg
	run -2 --separate-stderr files.pl
	[[ $stderr == usage:* ]]
}

# perf script of recordings without -g, as the comments of pkgsplit-perf.pl say
# that kernels write it.
@test "pkgsplit-perf.pl: samples by package" {
	PATH=$COMPAT:$PATH
	printf '%s\n' \
		'   java  4567/8603  [023] 13527.3: cycles:  7fa86 Lcom/gson/Json;::add2 (/tmp/perf-4567.map)' \
		'   java 30894 [007] 452884.0: 10 cpu-clock: 7f0ac Lsun/nio/Ch;::read+0x27 (/tmp/perf-30849.map)' \
		'   java 30894 [007] 452884.1: 10 cpu-clock: 7f0ac Lsun/nio/Ch;::read+0x28 (/tmp/perf-30849.map)' \
		' swapper 0 [007] 452884.2: 10 cpu-clock: ff0ac native_safe_halt+0x2 ([kernel.kallsyms])' \
		>ips
	run -0 --separate-stderr pkgsplit-perf.pl ips
	[ "$output" = 'java;com;gson;Json:::addX 1
java;sun;nio;Ch:::read 2' ]
	[ "$(pkgsplit-perf.pl <ips)" = "$output" ]
}

@test "range-perf.pl: the samples of a range of seconds" {
	local at

	PATH=$COMPAT:$PATH
	for at in 100.500 100.750 101.250 102.500; do
		printf 'app 1 [000] %s000: 10 cycles: \n\t12 at %s (/bin/app)\n\n' \
			$at $at
	done >out.perf
	run -0 bash -c 'range-perf.pl 0.2 1 <out.perf | stackcollapse-perf.pl'
	[ "$output" = $'app;at 100.750 10\napp;at 101.250 10' ]
	run -0 bash -c 'range-perf.pl --timezerosecs 0.6 1.5 <out.perf | stackcollapse-perf.pl'
	[ "$output" = $'app;at 100.750 10\napp;at 101.250 10' ]
	run -0 bash -c 'range-perf.pl --timeraw 102 103 <out.perf | stackcollapse-perf.pl'
	[ "$output" = 'app;at 102.500 10' ]
	run -2 --separate-stderr range-perf.pl 5
	[[ $stderr == usage:* ]]
	run -2 --separate-stderr range-perf.pl 5 x
}

@test "stackcollapse-go.pl: the text of go tool pprof -raw" {
	PATH=$COMPAT:$PATH
	cat >raw <<-'END'
	PeriodType: cpu nanoseconds
	Samples:
	samples/count cpu/nanoseconds
	         2   20000000: 1 2 
	         1   10000000: 3 2 
	         1   10000000: 4 9
	         0   0: 3
	Locations
	     1: 0x58b265 M=1 scanblock /mgc.go:7:0 s=5
	             gcDrain /mgc.go:90:0 s=80
	     2: 0x599530 GC :0 s=0
	     3: 0x58a999 flushptrbuf :0 s=0
	     4: 0x58d6a8 M=1 a;b.Sweep :0 s=0
	Mappings
	1: 0x400000/0x700000/0x0 /bin/x  [FN]
	END
	run -0 stackcollapse-go.pl --sample_index=0 raw
	[ "$output" = 'GC;flushptrbuf 1
GC;gcDrain;scanblock 2
[unknown];a:b.Sweep 1' ]
	run -0 stackcollapse-go.pl -sample_index 1 <raw
	[ "${lines[1]}" = 'GC;gcDrain;scanblock 20000000' ]
	# As the script of FlameGraph, it does not choose.
	run -2 --separate-stderr stackcollapse-go.pl raw
	[[ $stderr == *'1  cpu/nanoseconds'* ]]
	run -2 --separate-stderr stackcollapse-go.pl --sample_index=2 raw
	run -2 --separate-stderr stackcollapse-go.pl "$DATA/perf/jit.in"
	[[ $stderr == *'go tool pprof -raw'* ]]
	run -0 stackcollapse-go.pl </dev/null
	[ -z "$output" ]
}

@test "stackcollapse-ljp.awk: traces of lightweight-java-profiler" {
	PATH=$COMPAT:$PATH
	cat >traces <<-'END'
	42 3  Order.total(Order.java:455)
	      Main.main(Main.java:123)
	      java.lang.Thread.run(Thread.java:744)
	8 1  idle(Native Method)
	1 3  Order.total(Order.java:456)
	      Main.main(Main.java:123)
	      java.lang.Thread.run(Thread.java:744)
	Total trace count: 51
	END
	run -0 stackcollapse-ljp.awk traces
	[ "$output" = 'idle 8
java.lang.Thread.run;Main.main;Order.total 43' ]
	run -2 --separate-stderr stackcollapse-ljp.awk "$DATA/perf/jit.in"
	[[ $stderr == *'no stack in the input' ]]
}

@test "stackcollapse-recursive.pl: one frame for calls of itself" {
	PATH=$COMPAT:$PATH
	run -0 stackcollapse-recursive.pl <<<'a;b;b;b;c 3'
	[ "$output" = 'a;b;c 3' ]
}

# inferno's README, docs.rs/inferno and cargo-flamegraph's issues type these.
@test "inferno's commands take inferno's options" {
	workplace
	PATH=$COMPAT:$PATH
	as_is 'cat out.perf | inferno-collapse-perf > stacks.folded
cat stacks.folded | inferno-flamegraph > profile.svg' profile.svg
	cmp stacks.folded out.folded
	as_is 'inferno-collapse-perf -n 4 --all < out.perf | inferno-flamegraph -c java -i --minwidth 0.01 --deterministic > a.svg' a.svg
	stackcollapse-perf --all out.perf |
		flamegraph --colors java --inverted --minwidth 0.01% | cmp a.svg
	inferno-collapse-guess -vv --nthreads=2 out.perf | inferno-flamegraph \
		-cjs --title "It's <\$(it)>" --no-javascript - >g.svg
	# shellcheck disable=SC2016 # a title
	grep -qF 'It&#39;s &lt;$(it)&gt;' g.svg
	run ! grep -q '<script' g.svg
	as_is 'inferno-diff-folded -n out.folded out.folded | inferno-flamegraph --negate > d.svg' d.svg
	cmp <(inferno-diff-folded out.folded out.folded) \
		<(folddiff --no-test out.folded out.folded)
	printf 'main;a.b;c 1\nmain;axb;d 2\n' >in
	inferno-flamegraph --base=a.b in >b.svg 2>err
	grep -q '<title>a.b (1' b.svg
	run ! grep -e 'axb' b.svg
	run -0 inferno-collapse-recursive -n 1 <<<'a;b;b 1'
	[ "$output" = 'a;b 1' ]
	run -0 --separate-stderr inferno-flamegraph --uicolor '#123456' in
	[ "$stderr" = 'inferno-flamegraph: --uicolor has no effect' ]
	run -2 --separate-stderr inferno-flamegraph --no-such-option in
	run -2 --separate-stderr inferno-flamegraph in --title
	[ "$stderr" = 'inferno-flamegraph: --title: needs a value' ]
	run -2 inferno-flamegraph none
}

@test "the readers among the scripts survive hostile input" {
	local script seed

	PATH=$COMPAT:$PATH
	printf 'Samples:\nx/count\n 1: 1 1 9 %s\n -1: 2\nLocations\n 1: 0 a\n   \n' \
		"$(printf '1 %.0s' {1..2000})" >raw
	printf '1 2 a(b\n)(\n;;;(\n\n3 4 \\n%%s\nTotal' >traces
	for script in stackcollapse-go.pl stackcollapse-ljp.awk \
		pkgsplit-perf.pl 'range-perf.pl 0 1'; do
		for seed in 1 2 3 4; do
			awk -v seed=$seed 'BEGIN {
				srand(seed)
				for (i = 0; i < 3000; i++)
					printf "%c", int(rand() * 255) + 1
			}' >noise
			for file in noise raw traces; do
				# shellcheck disable=SC2086 # its arguments
				run timeout 60 $script <$file
				[[ $status == [012] ]] || ! echo "$script $file"
			done
		done
	done
	stackcollapse-go.pl raw | foldmerge --strict >/dev/null
	stackcollapse-ljp.awk traces | foldmerge --strict >/dev/null
}
