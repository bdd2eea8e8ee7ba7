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
	tick,0x2010,7,0,0x0,0,-0xff0,overflow
	code-creation,JS,10,8,0x2020,64,g\x2C a.js:2:1,0x20,*
	tick,0x2010,9,0,0x0,0
	code-delete,0x2020
	tick,0x2030,10,0,0x0,0
	END
	run -0 --separate-stderr stackcollapse-v8 log
	[ "$output" = "[truncated];[unknown];f a.js:1:1 1
[unknown] 3
f a.js:1:1 1" ]
}

@test "v8: nodes that are each other's parents are not understood" {
	echo '{"nodes":[{"id":1,"callFrame":{},"children":[2]},
		{"id":2,"callFrame":{},"children":[1]}],"samples":[1]}' >p
	run -2 --separate-stderr stackcollapse-v8 p
	[[ $stderr == *"a node that calls itself"* ]]
}

@test "JSON ten million brackets deep is skipped, or refused with a message" {
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
	[[ $stderr == *"an element is nested too deep"* ]]
}

@test "stackcollapse runs the command that reads the trace" {
	local command in format

	for in in "$DATA"/{pprof,v8}/*.in "$DATA"/perf/[d-s]*.in; do
		format=${in%/*}
		format=${format##*/}
		run -0 stackcollapse --which "$in"
		[ "$output" = "stackcollapse-$format" ] || {
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

@test "stackcollapse reads a pipe of more than it looks at" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) print "main;a;b" i % 10, 1 }' \
		>big.folded
	run -0 stackcollapse < <(cat big.folded)
	[ "${lines[9]}" = "main;a;b9 10000" ]
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
