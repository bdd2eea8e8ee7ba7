#!/usr/bin/env bats
# vm.bats - the readers of what virtual machines and profilers write.

load helper

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

@test "pprof: each trace gives its stacks" {
	golden pprof
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

@test "pprof: --list prints the types of values" {
	run -0 stackcollapse-pprof --list "$DATA/pprof/go-heap.in"
	[ "$output" = "alloc_objects count
alloc_space bytes
inuse_objects count
inuse_space bytes" ]
}

@test "pprof: a type that is not there is status 2, and says where to look" {
	run -2 --separate-stderr stackcollapse-pprof --type wall \
		"$DATA/pprof/go-cpu.in"
	[[ $stderr == *"no type wall; --list"* ]]
}

@test "pprof: --no-inline leaves out inlined frames" {
	run -0 stackcollapse-pprof "$DATA/pprof/go-cpu.in"
	[[ $output == *"_[i]"* ]]
	run -0 stackcollapse-pprof --no-inline "$DATA/pprof/go-cpu.in"
	[[ $output != *"_[i]"* ]]
}

@test "pprof: frames without a function are those of their file" {
	# type {1 1}, sample {location 1, value 5}, mapping {id 1, file 2},
	# location {id 1, mapping 1, address 0x40}, strings "", "x", "/a/b.so"
	printf '\x0a\x04\x08\x01\x10\x01\x12\x04\x08\x01\x10\x05' >p
	printf '\x1a\x04\x08\x01\x28\x02\x22\x06\x08\x01\x10\x01\x18\x40' >>p
	printf '\x32\0\x32\x01x\x32\x07/a/b.so' >>p
	run -0 --separate-stderr stackcollapse-pprof p
	[ "$output" = "[b.so] 5" ]
	run -0 --separate-stderr stackcollapse-pprof --addrs p
	[ "$output" = "[b.so <40>] 5" ]
}

@test "pprof: a few bytes are no stack of millions of inlined frames" {
	# Two samples, one with 1000 times the location, which has 2000 lines.
	{
		printf '\x0a\x04\x08\x01\x10\x01\x12\xed\x07\x0a\xe8\x07'
		printf '\x01%.0s' {1..1000}
		printf '\x10\x05\x12\x04\x08\x01\x10\x03\x22\xc2\x3e\x08\x01'
		printf '\x22\x02\x08\x01%.0s' {1..2000}
		printf '\x32\0\x32\x01x'
	} >p
	run -0 --separate-stderr stackcollapse-pprof p
	[[ $stderr == *"p:1: a stack with more than a million inlined frames"* ]]
	[ "$(tr -cd ';' <<<"$output" | wc -c)" -eq 1999 ]
	# Without them it is one of 1000 frames.
	run -0 stackcollapse-pprof -q --no-inline p
	[ "${#lines[@]}" -eq 2 ]
	[ "$(tr -cd ';' <<<"$output" | wc -c)" -eq 999 ]
}

@test "pprof: a location that is not there is not understood" {
	printf '\x0a\x04\x08\x01\x10\x01\x12\x04\x08\x07\x10\x05' >p
	run -2 --separate-stderr stackcollapse-pprof p
	[[ $stderr == *"p:1: a location that is not there"* ]]
}

@test "v8: each trace gives its stacks" {
	golden v8
}

@test "v8: .cpuprofile, by time and by samples" {
	gives v8-cpuprofile-a/expected.us.folded v8 program.cpuprofile
	gives v8-cpuprofile-a/expected.folded v8 --count samples \
		program.cpuprofile
}

@test "v8: the log of --prof, as node --prof-process has its functions" {
	gives v8-prof-a/expected.folded v8 --tiers isolate-v8.log
}

@test "v8: with --jit, tiers are suffixes" {
	run -0 --separate-stderr stackcollapse-v8 --jit "$DATA/v8/prof.in"
	[[ $output == *"main /"*":13:20_[1];fib /"*":2:13_[j];"* ]]
	[[ $output == *":1:1_[0];"* ]]
}

@test "v8: code that moved has its name at its new place" {
	cat >log <<-'END'
	v8-version,11,3
	code-creation,JS,10,1,0x1000,64,f a.js:1:1,0x10,~
	tick,0x1010,5,0,0x0,0
	code-move,0x1000,0x2000
	tick,0x1010,6,0,0x0,0
	tick,0x2010,7,0,0x0,0,-0xff0
	code-creation,JS,10,8,0x2020,64,g\x2C a.js:2:1,0x20,*
	tick,0x2010,9,0,0x0,0
	code-delete,0x2020
	tick,0x2030,10,0,0x0,0
	END
	run -0 --separate-stderr stackcollapse-v8 log
	[ "$output" = "[unknown] 3
[unknown];f a.js:1:1 1
f a.js:1:1 1" ]
}

@test "v8: nodes that are each other's parents are not understood" {
	echo '{"nodes":[{"id":1,"callFrame":{},"children":[2]},
		{"id":2,"callFrame":{},"children":[1]}],"samples":[1]}' >p
	run -2 --separate-stderr stackcollapse-v8 p
	[[ $stderr == *"a node that calls itself"* ]]
}

@test "v8: the last line that a number can have has one behind it" {
	echo '{"nodes":[{"id":1,"callFrame":{"functionName":"f",
		"lineNumber":9223372036854775807}}],"samples":[1]}' >p
	run -0 --separate-stderr stackcollapse-v8 p
	[ "$output" = "f:9223372036854775808 1" ]
}

@test "speedscope: each trace gives its stacks" {
	golden speedscope
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
	[[ $stderr == *"a frame ends before those in it"* ]]
}

@test "chrome: each trace gives its stacks" {
	golden chrome
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

@test "chrome: a trace that was cut short is folded as far as it goes" {
	echo '[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},
		{"ph":"B","pid":1,"tid":1,"ts":2.5,"name":"b"},
		{"ph":"E","pid":1,"tid":1,"ts":4},' >p
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "a 1.5
a;b 1.5" ]
	[[ $stderr == *"2 events not understood"* ]]
}

@test "sysprof: each trace gives its stacks" {
	golden sysprof
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

@test "sysprof: fast functions have names only with --ffnames" {
	local in=$DATA/sysprof/cfunc-jit.in

	run -0 stackcollapse-sysprof "$in"
	[[ $output == *";FFUNC "* && $output != *";string.gsub;"* ]]
	run -0 stackcollapse-sysprof --ffnames luajit-b52fe979 "$in"
	[[ $output == *";string.gsub;"* && $output != *FFUNC* ]]
	run -0 stackcollapse-sysprof --ffnames \
		"$top_srcdir/share/ffnames/luajit-b52fe979" "$in"
	[[ $output == *";string.gsub;"* ]]
	run -2 stackcollapse-sysprof --ffnames luajit-none "$in"
}

@test "sysprof and memprof: other versions are refused by number" {
	local format

	for format in sysprof memprof; do
		printf 'ljs\2\0\0\0\x80' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"version 2 of the format ljs; only 3 is known"* ]]
		printf 'ljs\3\0\0\0\x80ljq\3\0\0\0\x80' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"a profile of another kind, or none"* ]]
	done
}

@test "memprof: each trace gives its stacks" {
	golden memprof
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

@test "memprof: --live is who allocated what is not freed, at its last size" {
	# no symbols; two of INTERNAL, one grows, one is freed and used again
	printf 'ljs\3\0\0\0\x80ljm\3\0\0\0' >p
	printf '\x05\x10\x08\x05\x20\x09\x07\x10\x08\x30\x20' >>p
	printf '\x06\x20\x09\x11\x01\x20\x07\x80' >>p
	run -0 --separate-stderr stackcollapse-memprof --live p
	[ "$output" = "INTERNAL 32
TRACE [1] 7" ]
}

@test "vmprof: each trace gives its stacks" {
	golden vmprof
}

# The fixture names the file of native frames "-", and its line 0.
@test "vmprof: CPython and PyPy, as vmprof's own reader has them" {
	local dir

	need_shared fixtures/vm/vmprof-pypy
	for dir in "$SHARED"/fixtures/vm/vmprof-*; do
		diff <(sed 's/ (-:0)//g' "$dir/expected.folded" | sums) \
			<(stackcollapse-vmprof -q --jit "$dir/profile.vmprof" |
				sums)
	done
	gives vmprof-cpython-lines/expected.lines.folded vmprof --lines \
		profile.vmprof
}

@test "vmprof: an old profile of PyPy is refused" {
	printf '%b' '\0\0\0\0\0\0\0\0\03\0\0\0\0\0\0\0' >p
	printf '%b' '\0\0\0\0\0\0\0\0\01\0\0\0\0\0\0\0' >>p
	printf '%b' '\0\0\0\0\0\0\0\0\04pypy' >>p
	run -2 --separate-stderr stackcollapse-vmprof p
	[[ $stderr == *"of an old PyPy"* ]]
}

@test "typhon: each trace gives its stacks" {
	golden typhon
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

@test "typhon: calls with more time than their caller are said" {
	printf 'a.f/0 5\na.f/0;b.g/0 7\na.f/0;c.h/0;d.i/0 1\n' >flames
	run -1 --separate-stderr stackcollapse-typhon --strict flames
	[ "$output" = "a.f/0;b.g/0 70
a.f/0;c.h/0;d.i/0 10" ]
	[[ $stderr == *"3 units less than in its calls: a.f/0"* ]]
}

@test "stackprof: each trace gives its stacks, and as stackprof has them" {
	golden stackprof
	gives ruby-stackprof/expected.folded stackprof profile.json
}

@test "stackprof: Ruby's own format is refused, and says what to do" {
	printf '\x04\x08{\x06' >p
	run -2 --separate-stderr stackcollapse-stackprof p
	[[ $stderr == *"stackprof --json"* ]]
}

@test "austin: each trace gives its stacks" {
	golden austin
	gives austin/expected.profile.folded austin profile.austin
	gives austin/expected.full.folded austin full.austin
	gives austin/expected.memory.folded austin --memory memory.austin
}

@test "excimer: each trace gives its stacks" {
	golden excimer
	gives php-excimer/expected.folded excimer profile.collapsed
}

# The fixture has microseconds with an error of floating point, and counts
# calls only of what calls nothing.
@test "xdebug: each trace gives its stacks" {
	local dir=$SHARED/fixtures/vm/php-xdebug

	golden xdebug
	need_shared fixtures/vm/php-xdebug
	diff <(awk '{ printf "%s %.0f\n", $1, $2 }' \
		"$dir/expected.trace-time.folded" | sums) \
		<(stackcollapse-xdebug "$dir/trace.xt" | sed 's/000$//' | sums)
	run ! grep -vxFf <(stackcollapse-xdebug --count samples \
		"$dir/trace.xt") "$dir/expected.trace-count.folded"
}

# The fixture has the ';' in a thread's name, which makes two frames of it, and
# threads of the machine that wait, in every dump.
@test "jstack: each dump gives its stacks" {
	local dir=$SHARED/fixtures/vm/java-jstack

	golden jstack
	need_shared fixtures/vm/java-jstack
	diff <(sed -e '/^Monitor Deflation Thread/d; /^Notification Thread/d' \
		-e '/^Reference Handler/d; /^Sweeper thread/d' \
		-e 's/sort;er/sort:er/' "$dir/expected.folded" | sums) \
		<(stackcollapse-jstack "$dir/jstack.txt" | sums)
}

@test "jstack: --states counts every thread of every dump" {
	local in=$DATA/jstack/dumps.in

	run -0 stackcollapse-jstack --states "$in"
	[ "$(awk '{ n += $NF } END { print n }' <<<"$output")" -eq \
		"$(grep -c 'java.lang.Thread.State' "$in")" ]
	[[ $output == *";state:timed_waiting "* ]]
}

@test "faulthandler, DTrace, SystemTap and bpftrace: each gives its stacks" {
	golden faulthandler
	golden dtrace
	golden stap
	golden bpftrace
}

@test "luajit: each output of -jp gives its stacks" {
	golden luajit
	gives luajit-jp/expected.jp.Gfi1.folded luajit jp.Gfi1.txt
	gives luajit-jp/expected.jp.Gl10.folded luajit jp.Gl10.txt
}

# The fixture tells calls apart by their depth of recursion, fib'2.
@test "callgrind: self cost of functions, and calls" {
	local dir=$SHARED/fixtures/vm/callgrind cost

	golden callgrind
	need_shared fixtures/vm/callgrind
	diff <(sed "s/'2//g" "$dir/expected.callgrind.self.folded" | sums) \
		<(stackcollapse-callgrind --self "$dir/callgrind.out" | sums)
	diff <(sed "s/'2//g" "$dir/expected.callgrind.edges.txt" | sums) \
		<(stackcollapse-callgrind --calls "$dir/callgrind.out" | sums)
	cost=$(sed -n 's/^totals: //p' "$dir/callgrind.out")
	[ "$(stackcollapse-callgrind --self "$dir/callgrind.out" |
		awk '{ n += $NF } END { print n }')" -eq "$cost" ]
}

@test "callgrind: without --self or --calls it says that there are no stacks" {
	run -0 --separate-stderr stackcollapse-callgrind \
		"$DATA/callgrind/prog.in"
	[ "$output" = "$(cat "$DATA/callgrind/prog.folded")" ]
	[[ $stderr == *"there are no stacks in such a file"* ]]
}

@test "gperftools: each trace gives its stacks" {
	golden gperftools
}

@test "ghcprof: each profile gives its stacks, with sums as GHC has them" {
	local in=$DATA/ghcprof/report.in

	golden ghcprof
	[ "$(stackcollapse-ghcprof "$in" |
		awk '{ n += $NF } END { print n }')" -eq \
		"$(sed -n 's/^.*(\([0-9]*\) ticks.*/\1/p' "$in")" ]
	[ "$(stackcollapse-ghcprof --alloc "$in" |
		awk '{ n += $NF } END { print n }')" -eq \
		"$(sed -n 's/^.*alloc = \([0-9,]*\) .*/\1/p' "$in" |
			tr -d ,)" ]
}

@test "ghcprof: counts from percentages are said to be" {
	run -0 --separate-stderr stackcollapse-ghcprof "$DATA/ghcprof/percent.in"
	[[ $stderr == *"percentages of one decimal; record with +RTS -P"* ]]
}

@test "ghcprof: a row too deep for what is above it is not understood" {
	sed '/^ CAF/d' "$DATA/ghcprof/report.in" >p
	run -1 --separate-stderr stackcollapse-ghcprof --strict p
	[[ $stderr == *"p:"*": not a row of cost centres"* ]]
}

# The fixture has offsets in files, which --symfs with no file does not tell.
@test "gperftools: mappings may come in any order" {
	{
		# Words of 32 bits: 0 3 0 10000 0; count, depth, address; 0 1 0.
		printf '\0\0\0\0\3\0\0\0\0\0\0\0\20\47\0\0\0\0\0\0'
		printf '\1\0\0\0\1\0\0\0\20\20\0\0'
		printf '\2\0\0\0\1\0\0\0\377\57\0\0'
		printf '\3\0\0\0\1\0\0\0\0\60\0\0'
		printf '\4\0\0\0\1\0\0\0\0\100\0\0'
		printf '\0\0\0\0\1\0\0\0\0\0\0\0'
		echo '3000-4000 r-xp 0 00:00 1 /nowhere/c'
		echo '1000-2000 r-xp 0 00:00 1 /nowhere/a'
		echo '2000-3000 r-xp 0 00:00 1 /nowhere/b'
	} >prof
	run -0 --separate-stderr stackcollapse-gperftools -q prof
	[ "$output" = '[a] 1
[b] 2
[c] 3
[unknown] 4' ]
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

# What waits for its weight or its place does so in a file.
@test "JSON: memory does not grow with the trace" {
	local format peak

	need_native
	need_plain "sanitizers keep for long what was freed"
	for format in v8 chrome speedscope evented stackprof; do
		"$top_builddir/t/mkvm" $format 40 >big
		peak=$("$top_builddir/t/cpu" big \
			stackcollapse-${format/evented/speedscope} 2>&1)
		echo "# $format: ${peak#* } KB"
		[ "${peak#* }" -lt 20000 ]
	done
}

@test "JSON ten million brackets deep is skipped" {
	{
		printf '{"x":'
		head -c 10000000 /dev/zero | tr '\0' '['
		head -c 10000000 /dev/zero | tr '\0' ']'
		printf ',"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],'
		printf '"samples":[1,1]}'
	} >deep
	run -0 --separate-stderr stackcollapse-v8 deep
	[ "$output" = "f 2" ]
	{
		printf '{"nodes":['
		head -c 10000000 /dev/zero | tr '\0' '['
	} >deep
	run -2 --separate-stderr stackcollapse-v8 deep
	[[ $stderr == *"the text is cut short"* ]]
}

# words NUMBER...: eight bytes each, the low one first.
words() {
	local n i

	for n in "$@"; do
		for ((i = 0; i < 64; i += 8)); do
			printf '%b' "\\x$(printf %x $((n >> i & 255)))"
		done
	done
}

# refused FORMAT MESSAGE <INPUT: nothing is understood, as the message says.
refused() {
	cat >bad
	run -2 --separate-stderr stackcollapse-"$1" bad
	[[ $stderr == *"$2"* ]] || {
		echo "# $1: $stderr"
		return 1
	}
}

@test "sizes that cannot be are answered with a message" {
	printf 'ljs\3\0\0\0\1\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f' |
		refused sysprof "the table of symbols is malformed"
	printf 'ljs\3\0\0\0\1\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f' |
		refused memprof "the table of symbols is malformed"
	{
		words 0 3 0 10000 0
		printf '\5\0\3\7cpython\1'
		words 1 $((1 << 60)) 7
	} | refused vmprof "a malformed record"
	words 0 3 0 10000 0 1 $((1 << 60)) 7 |
		refused gperftools "a stack that is cut short"
	printf '\x12\xff\xff\xff\xff\xff\xff\xff\x7f\1' |
		refused pprof "not a field of a profile"
	echo '{"frames":{"1":{"name":"f"}},"raw":[1000000000000,1,1]}' |
		refused stackprof "a raw sample that is cut short"
	echo '[{"ph":"X","ts":1e300,"dur":1,"name":"f"}]' |
		refused chrome "an event without its time"
}

@test "ids of nothing are answered with a message" {
	echo '{"nodes":[{"id":1,"callFrame":{}}],"samples":[9]}' |
		refused v8 "a sample of a node that is not there"
	echo '{"shared":{"frames":[{"name":"f"}]},"profiles":[{"unit":"none",
		"type":"sampled","samples":[[9]],"weights":[1]}]}' >bad
	run -1 --separate-stderr stackcollapse-speedscope --strict bad
	[[ $stderr == *"a frame that is not there"* ]]
	printf '\x0a\x04\x08\x01\x10\x01\x12\x04\x08\x00\x10\x05' |
		refused pprof "a location that is not there"
	echo '{"cost_centres":[],"profile":{"id":7,"ticks":3}}' >bad
	run -0 --separate-stderr stackcollapse-ghcprof bad
	[ "$output" = "[unknown] 3" ]
}

@test "ghcprof: a tree a million deep is read" {
	awk 'BEGIN {
		printf "{\"profile\":"
		for (i = 0; i < 1000000; i++)
			printf "{\"id\":1,\"children\":["
		printf "{\"ticks\":2}"
		for (i = 0; i < 1000000; i++)
			printf "]}"
		print "}"
	}' >deep
	run -0 --separate-stderr stackcollapse-ghcprof deep
	[ "${output##*;}" = "[unknown] 2" ]
}

@test "stackcollapse runs the command that reads the trace" {
	local command in format

	for in in "$DATA"/{pprof,v8,speedscope,chrome,sysprof,memprof}/*.in \
		"$DATA"/{vmprof,typhon,austin,stackprof,xdebug,jstack}/*.in \
		"$DATA"/{faulthandler,bpftrace,dtrace,stap}/*.in \
		"$DATA"/{callgrind,gperftools,ghcprof}/*.in \
		"$DATA"/perf/[d-s]*.in; do
		format=${in%/*}
		format=${format##*/}
		run -0 stackcollapse --which "$in"
		[ "$output" = "stackcollapse-$format" ] || {
			echo "# $in: $output"
			return 1
		}
	done
}

@test "stackcollapse that stands alone runs the command of the PATH" {
	mkdir alone
	ln -s "$(type -P stackcollapse)" alone
	echo 'main;f 3' >in
	run -0 alone/stackcollapse in
	[ "$output" = 'main;f 3' ]
	# Of foldbox each is all of them.
	[[ $(readlink -f alone/stackcollapse) != */foldbox ]] || return 0
	run -2 --separate-stderr env PATH=/nonexistent alone/stackcollapse in
	[ "$stderr" = 'stackcollapse: there is no foldmerge here' ]
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

# What nothing here reads, texts that are near to something, and noise.
@test "stackcollapse refuses what is like a trace and none" {
	local in dir=$SHARED/fixtures/vm

	mkdir near
	echo '{"nodes":[1,2],"edges":[]}' >near/graph.json
	echo '{"profiles":[{"name":"default"}]}' >near/settings.json
	echo '[{"name":"ph"},{"id":2}]' >near/list.json
	echo '{"name":"foldstack","version":"0.1"}' >near/package.json
	printf 'Full report\n"main" prio=5\n' >near/report.txt
	printf 'name;count\nmain 1\n' >near/table.csv
	printf 'a b c 12\nd e f 13\n' >near/words
	printf '50%% done\n60%% done\n' >near/progress
	printf 'total 12\n-rw-r--r-- 1 root root 12 May  1 10:00 a\n' >near/ls
	printf '\x0a\x04\x08\x01' >near/short.pb
	printf '\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' >near/words.bin
	printf 'ljs\3\0\0\0\x80ljz\1\0\0\0' >near/other.lj
	awk 'BEGIN {
		for (x = 1; n < 20000; n++) {
			x = (x * 16807) % 2147483647
			printf "%c", int(x / 8388608)
		}
	}' >near/noise
	cp "$top_srcdir/README.md" "$top_srcdir/Makefile.am" \
		"$top_srcdir/cmd/stackcollapse.c" near
	if [ -e "$dir" ]; then
		cp "$dir"/erlang-fprof/*.analysis "$dir"/austin/*.py \
			"$dir"/perl-nytprof/nytprof.out "$dir"/luajit-jp/*.lua \
			"$dir"/php-excimer/*.php "$dir"/v8-prof-a/*.js near
		cp "$dir"/java-async-profiler/profile.jfr \
			"$dir"/ruby-stackprof/profile.stackprof near
	fi
	for in in near/*; do
		run -2 stackcollapse --which "$in" || {
			echo "# $in: $output"
			return 1
		}
	done
}

@test "stackcollapse gives options, files and standard input on" {
	local in=$DATA/pprof/go-heap.in

	run -0 stackcollapse-pprof --type alloc_space --root comm "$in"
	expected=$output
	run -0 stackcollapse --root comm --type=alloc_space "$in"
	[ "$output" = "$expected" ]
	run -0 stackcollapse --type=alloc_space <"$in"
	[ "$output" = "$expected" ]
	run -0 stackcollapse --type=alloc_space - < <(cat "$in")
	[ "$output" = "$expected" ]
}

@test "stackcollapse tells files from what options take" {
	printf 'a 1 1.0: 1 cycles:\n\t 12345 f (/bin/a)\n\n' >p.txt
	run -0 stackcollapse --drop-idle p.txt </dev/null
	[ "$output" = "a;f 1" ]
	run -0 stackcollapse --skip-after p.txt p.txt </dev/null
	[ "$output" = "a;f 1" ]
	mv p.txt ./--which
	run -0 stackcollapse --root none -- --which </dev/null
	[ "$output" = "f 1" ]
	run -0 stackcollapse --which -- --which </dev/null
	[ "$output" = stackcollapse-perf ]
	mv ./--which ./--help
	run -0 stackcollapse -- --help </dev/null
	[ "$output" = "a;f 1" ]
}

@test "stackcollapse reads a pipe of more than it looks at" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) print "main;a;b" i % 10, 1 }' \
		>big.folded
	run -0 stackcollapse < <(cat big.folded)
	[ "${lines[9]}" = "main;a;b9 10000" ]
}

@test "stackcollapse reads a compressed pipe of more than it looks at" {
	local filter

	# what compression does not make smaller
	{
		printf PERFILE2
		awk 'BEGIN {
			for (x = 1; n < 2000000; n++) {
				x = (x * 16807) % 2147483647
				printf "%c", int(x / 8388608)
			}
		}'
	} >big
	for filter in gzip zstd; do
		command -v $filter >/dev/null || continue
		$filter -qc1 big >big.packed
		run -0 --separate-stderr stackcollapse --which < <(cat big.packed)
		[ "$output" = stackcollapse-perf ]
		[ -z "$stderr" ]
	done
	echo "a;b 1" | gzip | head -c 20 >small
	run -2 --separate-stderr stackcollapse --which <small
	[[ $stderr == *"stdin: gzip -dc failed" ]]
}

@test "stackcollapse refuses what it does not know" {
	echo "Dear diary" >text
	run -2 --separate-stderr stackcollapse text
	[[ $stderr == *"text: no format that is known here" ]]
	run -2 --separate-stderr stackcollapse text "$DATA/pprof/go-cpu.in"
	run -2 --separate-stderr stackcollapse "$DATA/v8/prof.in" \
		"$DATA/pprof/go-cpu.in"
	[[ $stderr == *"go-cpu.in is for stackcollapse-pprof, and what is"* ]]
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}
