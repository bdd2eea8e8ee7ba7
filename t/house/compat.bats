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
	run ! grep -iE 'usage|unknown|ambiguous|not understood' err
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
