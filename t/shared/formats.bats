#!/usr/bin/env bats
# formats.bats - traces of the shared data, compared with what other tools read in them.
# Tests in this folder need data that is not in the repository, ../shared or
# $SHARED, and are skipped without it.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# sums: equal stacks added up, in order; folded text may have either blank
# before its count and an empty frame at its end.
sums() {
	awk '{
		n = $NF
		sub(/[ \t][^ \t]*$/, "")
		sub(/;$/, "")
		sum[$0] += n
	}
	END {
		for (stack in sum)
			if (sum[stack] != 0)
				print stack, sum[stack]
	}' | LC_ALL=C sort
}

# gives FOLDER/EXPECTED FORMAT [OPTION...] FILE: the shared file, which is
# beside EXPECTED, is folded to just that.
gives() {
	local expected=$SHARED/fixtures/vm/$1 command=stackcollapse-$2 file=${*: -1}

	need_shared "fixtures/vm/$1"
	shift 2
	diff <(sums <"$expected") \
		<("$command" -q "${@:1:$#-1}" "${expected%/*}/$file" | sums)
}

# The same, without the mark of inlined frames, which the fixture has not.
gives_unmarked() {
	local expected=$SHARED/fixtures/vm/$1 command=stackcollapse-$2 file=${*: -1}

	need_shared "fixtures/vm/$1"
	shift 2
	diff <(sums <"$expected") \
		<("$command" -q "${@:1:$#-1}" "${expected%/*}/$file" |
			sed 's/_\[i\]//g' | sums)
}

@test "pprof: as go tool pprof has it, values, labels and inlined frames" {
	local first dir

	for dir in pprof-go-cpu/samples pprof-go-heap/alloc_objects; do
		first=${dir#*/}
		dir=${dir%/*}
		gives_unmarked "$dir"/expected.folded pprof --type "$first" \
			profile.pb.gz
		gives_unmarked "$dir"/expected.last-type.folded pprof \
			profile.pb.gz
		gives_unmarked "$dir"/expected.labels.folded pprof --labels \
			--type "$first" profile.pb.gz
	done
}

@test "v8: .cpuprofile, by time and by samples" {
	gives v8-cpuprofile-a/expected.us.folded v8 program.cpuprofile
	gives v8-cpuprofile-a/expected.folded v8 --count samples \
		program.cpuprofile
}

@test "v8: the log of --prof, as node --prof-process has its functions" {
	gives v8-prof-a/expected.folded v8 --tiers isolate-v8.log
}

# Times become nanoseconds; these two files have seconds.
@test "speedscope: sampled and evented profiles, one and two" {
	local case dir=$SHARED/fixtures/vm/speedscope

	gives speedscope/expected.simple.folded speedscope \
		simple.speedscope.json
	for case in simple-sampled two-sampled; do
		diff "$dir/expected.$case.folded" \
			<(stackcollapse-speedscope "$dir/$case.speedscope.json" |
				sed 's/000000000$//')
	done
}

# The fixture has another word for the thread, and takes what clang says of all
# events of a kind, "Total Frontend", for events of threads of their own.
@test "chrome: self time of nested events" {
	local dir=chrome-trace in=clang-ftime-trace.json

	gives $dir/expected.node.folded chrome --root none node_trace.json
	dir=$SHARED/fixtures/vm/$dir
	diff <(grep -v ';Total ' "$dir/expected.clang.folded") \
		<(stackcollapse-chrome -q \
		--root pid,tid "$dir/$in" |
		sed 's/^pid-\([0-9]*\);tid-/pid \1 tid /')
	diff <(grep -v ';Total ' "$dir/expected.clang-detail.folded") \
		<(stackcollapse-chrome -q \
		--detail --root pid,tid "$dir/$in" |
		sed 's/^pid-\([0-9]*\);tid-/pid \1 tid /')
}

# But for -default, which has no recordings.
@test "sysprof: mixed, guest and host stacks, as a decoder of its own has them" {
	local dir count=0

	need_shared fixtures/vm/lj-ffnames-b52fe979.txt
	for dir in "$SHARED"/fixtures/vm/lj-sysprof-*/sysprof.bin; do
		dir=${dir%/*}
		dir=${dir##*/}
		set -- sysprof --ffnames \
			"$SHARED/fixtures/vm/lj-ffnames-b52fe979.txt"
		gives "$dir/expected.folded" "$@" sysprof.bin
		gives "$dir/expected.guest.folded" "$@" --guest sysprof.bin
		gives "$dir/expected.host.folded" "$@" --host sysprof.bin
		count=$((count + 1))
	done
	[ $count -eq 10 ]
}

@test "sysprof: states are those that misc.sysprof.report counts" {
	local dir

	need_shared fixtures/vm/lj-sysprof-gc
	for dir in "$SHARED"/fixtures/vm/lj-sysprof-*/report.txt; do
		dir=${dir%/*}
		diff <(sed '/^samples/d; / 0$/d' "$dir/report.txt" | sort) \
			<(stackcollapse-sysprof --state "$dir/sysprof.bin" |
				sed 's/^\[\([A-Z]*\)\][^ ]*.* /\1 /' | sums)
	done
}

@test "memprof: bytes allocated and freed" {
	local dir

	for dir in lj-memprof-a lj-memprof-a-jit; do
		gives $dir/expected.folded memprof memprof.bin
		gives $dir/expected.free.folded memprof --free memprof.bin
	done
}

# The fixture's expected.leak has the accounting of the tool: what grew goes to
# the books of who had it before, what is freed then off the books of who made
# it grow.  So memA.lua:3, whose tables traces made grow, and which are all
# freed, "holds" 4344 bytes there; and a buffer from before the recording, 128
# bytes in the end, counts for 64 as that is by how much it grew.  What is in
# use at the end is a fact that needs no books, as a list of blocks shows.
@test "memprof: --live is all blocks in use at the end, at their sizes" {
	local dir=$SHARED/fixtures/vm case

	need_shared fixtures/vm/lj-memprof-a
	for case in lj-memprof-a lj-memprof-a-jit; do
		diff "$dir/$case/expected.leak.folded" <(stackcollapse-memprof \
			--live "$dir/$case/memprof.bin") | sed -n '/^[<>]/p'
	done >differences
	diff - differences <<-'END'
	< @memA.lua:4 64
	> @memA.lua:4 128
	< @memA.lua:3 4344
	< INTERNAL 4136
	> INTERNAL 3816
	END
}

# The fixture names the file of native frames "-", and its line 0.  It has the
# lines where functions begin, which names have not.
@test "vmprof: CPython and PyPy, as vmprof's own reader has them" {
	local dir

	need_shared fixtures/vm/vmprof-pypy
	for dir in "$SHARED"/fixtures/vm/vmprof-*; do
		diff <(sed -E 's/ \(-:0\)//g; s/(\([^();]*):[0-9]+\)/\1)/g' \
			"$dir/expected.folded" | sums) \
			<(stackcollapse-vmprof -q --jit "$dir/profile.vmprof" |
				sums)
	done
	gives vmprof-cpython-lines/expected.lines.folded vmprof --lines \
		profile.vmprof
}

# The fixture counts in units of 10 us, and keeps the JIT in names.
@test "typhon: inclusive times become self times" {
	local dir

	need_shared fixtures/vm/typhon-flames-5e156e8d
	for dir in "$SHARED"/fixtures/vm/typhon-flames-*; do
		diff <(sums <"$dir/expected.folded") \
			<(stackcollapse-typhon --jit "$dir/flames.txt" |
				sed 's/_\[j\]/ (JIT)/g; s/0$//' | sums)
	done
}

@test "stackprof: each trace gives its stacks, as stackprof has them" {
	gives ruby-stackprof/expected.folded stackprof profile.json
}

# The fixture has lines behind names: "f (a.py):7".
gives_without_lines() {
	need_shared "fixtures/vm/austin/$1"
	diff <(sed -E 's/\):[0-9]+/)/g' "$SHARED/fixtures/vm/austin/$1" | sums) \
		<(stackcollapse-austin -q "${@:2:$#-2}" \
			"$SHARED/fixtures/vm/austin/${*: -1}" | sums)
}

@test "austin: each trace gives its stacks, as the fixture has them" {
	gives_without_lines expected.profile.folded profile.austin
	gives_without_lines expected.full.folded full.austin
	gives_without_lines expected.memory.folded --memory memory.austin
}

@test "excimer: each trace gives its stacks, as the fixture has them" {
	gives php-excimer/expected.folded excimer profile.collapsed
}

# The fixture has microseconds with an error of floating point, and counts
# calls only of what calls nothing.
@test "xdebug: each trace gives its stacks, as the fixture has them" {
	local dir=$SHARED/fixtures/vm/php-xdebug

	need_shared fixtures/vm/php-xdebug
	diff <(awk '{ printf "%s %.0f\n", $1, $2 }' \
		"$dir/expected.trace-time.folded" | sums) \
		<(stackcollapse-xdebug "$dir/trace.xt" | sed 's/000$//' | sums)
	run ! grep -vxFf <(stackcollapse-xdebug --count samples \
		"$dir/trace.xt") "$dir/expected.trace-count.folded"
}

# The fixture has the ';' in a thread's name, which makes two frames of it, and
# threads of the machine that wait, in every dump.
@test "jstack: each dump gives its stacks, as the fixture has them" {
	local dir=$SHARED/fixtures/vm/java-jstack

	need_shared fixtures/vm/java-jstack
	diff <(sed -e '/^Monitor Deflation Thread/d; /^Notification Thread/d' \
		-e '/^Reference Handler/d; /^Sweeper thread/d' \
		-e 's/sort;er/sort:er/' "$dir/expected.folded" | sums) \
		<(stackcollapse-jstack "$dir/jstack.txt" | sums)
}

@test "luajit: each output of -jp gives its stacks, as the fixture has them" {
	gives luajit-jp/expected.jp.Gfi1.folded luajit jp.Gfi1.txt
	gives luajit-jp/expected.jp.Gl10.folded luajit jp.Gl10.txt
}

# The fixture tells calls apart by their depth of recursion, fib'2.
@test "callgrind: self cost of functions, and calls, as the fixture has them" {
	local dir=$SHARED/fixtures/vm/callgrind cost

	need_shared fixtures/vm/callgrind
	diff <(sed "s/'2//g" "$dir/expected.callgrind.self.folded" | sums) \
		<(stackcollapse-callgrind --self "$dir/callgrind.out" | sums)
	diff <(sed "s/'2//g" "$dir/expected.callgrind.edges.txt" | sums) \
		<(stackcollapse-callgrind --calls "$dir/callgrind.out" | sums)
	cost=$(sed -n 's/^totals: //p' "$dir/callgrind.out")
	[ "$(stackcollapse-callgrind --self "$dir/callgrind.out" |
		awk '{ n += $NF } END { print n }')" -eq "$cost" ]
}

@test "gperftools: every frame is of the file that was mapped there" {
	local dir=$SHARED/fixtures/vm/gperftools-cpu

	need_shared fixtures/vm/gperftools-cpu
	diff <(sed 's/+0x[0-9a-f]*//g' "$dir/expected.folded" | sums) \
		<(stackcollapse-gperftools -q --symfs /nonexistent \
			"$dir/profile.prof" | tr -d '[]' | sums)
}

@test "gperftools: names come from the files below --symfs" {
	local dir=$SHARED/fixtures/vm/gperftools-cpu path

	need_shared fixtures/vm/gperftools-cpu
	path=$(grep -ao '/[^ ]*prog_gp' "$dir/profile.prof" | head -n 1)
	mkdir -p "fs${path%/*}"
	cp "$dir/program.elf" "fs$path"
	run -0 --separate-stderr stackcollapse-gperftools --symfs fs \
		"$dir/profile.prof"
	[[ $output == *"_start;[libc.so.6];[libc.so.6];main;area 19"* ]]
}

# The folder of a fixture, and what reads what is in it.
@test "stackcollapse guesses every recording, or refuses" {
	local in format dir

	need_shared fixtures/vm
	while read -r format dir; do
		for in in "$SHARED"/fixtures/vm/$dir; do
			run -0 stackcollapse --which "$in"
			[ "$output" = "$format" ] || {
				echo "# $in: $output"
				return 1
			}
		done
	done <<-'END'
	stackcollapse-austin austin/*.austin
	stackcollapse-callgrind callgrind/callgrind.out
	stackcollapse-callgrind php-xdebug/cachegrind.out
	stackcollapse-chrome chrome-trace/*.json
	stackcollapse-gperftools gperftools-cpu/profile.prof
	stackcollapse-jstack java-jstack/jstack.txt
	foldmerge java-async-profiler/*.collapsed
	stackcollapse-memprof lj-memprof-*/memprof.bin
	stackcollapse-sysprof lj-sysprof-*/sysprof.bin
	stackcollapse-pprof pprof-go-*/profile.pb.gz
	stackcollapse-stackprof ruby-stackprof/profile.json
	stackcollapse-speedscope speedscope/*.json
	stackcollapse-typhon typhon-flames-*/flames.txt
	stackcollapse-v8 v8-*/*.cpuprofile
	stackcollapse-v8 v8-*/isolate-v8.log
	stackcollapse-vmprof vmprof-*/profile.vmprof
	stackcollapse-xdebug php-xdebug/trace.xt
	END
}
