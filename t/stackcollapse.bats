#!/usr/bin/env bats
# stackcollapse.bats - the guesser: which command reads a trace.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
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

# field NUMBER VALUE, bytes NUMBER <BYTES: of a message of Protocol Buffers,
# all below 128.
field() {
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3)) "$2")"
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
}

# cpu_profile LEAF [SAMPLES]: samples and nanoseconds, as Go has them; the type
# of samples may have another name.
cpu_profile() {
	local text

	{ field 1 1; field 2 2; } | bytes 1
	{ field 1 3; field 2 4; } | bytes 1
	{ field 1 2; field 1 1; field 2 3; field 2 30; } | bytes 2
	{ field 1 1; field 2 2; field 2 20; } | bytes 2
	{ field 1 1; field 1 1 | bytes 4; } | bytes 4
	{ field 1 2; field 1 2 | bytes 4; } | bytes 4
	{ field 1 1; field 2 5; } | bytes 5
	{ field 1 2; field 2 6; } | bytes 5
	for text in "" "${2-samples}" count cpu nanoseconds main "$1"; do
		printf %s "$text" | bytes 6
	done
}

# which BYTES: the format of a file that begins so.
which() {
	{
		# shellcheck disable=SC2059 # octal bytes
		printf "$1"
		head -c 200 /dev/zero
	} >"$BATS_TEST_TMPDIR/trace"
	run stackcollapse --which "$BATS_TEST_TMPDIR/trace"
}

@test "words 0, 3, 0 are of vmprof if a version of it follows, or of gperftools" {
	local words='\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' bytes

	words+='\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	for bytes in '\5\0\1' '\5\0\7\2' '\4\1'; do
		which "$words$bytes"
		[ "$output" = stackcollapse-vmprof ]
	done
	for bytes in '\5\0\0' '\5\0\0\1' '\5\1\1' '\6\0\1' '\4\0\1' '\3\1' '\1'; do
		which "$words$bytes"
		[ "$output" = stackcollapse-gperftools ]
	done
	for bytes in '\5\0\1' '\4\1'; do
		which "$bytes"
		[ "$status" -eq 2 ]
	done
}

@test "lines of one frame are folded text, but not those with blanks" {
	run -0 stackcollapse <<<'main 5'
	[ "$output" = 'main 5' ]
	run -2 stackcollapse <<<'hello world 5'
	run -2 stackcollapse <<<''
}

@test "stackcollapse runs the command that reads the trace" {
	local in format

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
	cp "$(type -P stackcollapse)" alone
	echo 'main;f 3' >in
	run -0 alone/stackcollapse in
	[ "$output" = 'main;f 3' ]
	# Of foldbox each is all of them.
	[[ $(readlink -f "$(type -P stackcollapse)") != */foldbox ]] || return 0
	run -2 --separate-stderr env PATH=/nonexistent alone/stackcollapse in
	[ "$stderr" = 'stackcollapse: cannot find the command foldmerge' ]
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
		"$top_srcdir/cmd/collapse/stackcollapse.c" near
	if [ -e "$dir" ]; then
		cp "$dir"/erlang-fprof/*.analysis "$dir"/austin/*.py \
			"$dir"/perl-nytprof/nytprof.out "$dir"/luajit-jp/*.lua \
			"$dir"/php-excimer/*.php "$dir"/v8-prof-a/*.js near
		cp "$dir"/ruby-stackprof/profile.stackprof near
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

@test "stackcollapse --format: the format is not detected" {
	local in name

	in=$(printf '%s\n' "$DATA"/excimer/*.in | head -n 1)
	run -0 stackcollapse-excimer "$in"
	expected=$output
	[ -n "$expected" ]
	run -0 stackcollapse --format excimer "$in"
	[ "$output" = "$expected" ]
	run -0 stackcollapse --root comm --format=excimer <"$in"
	[ "$output" = "$(stackcollapse-excimer --root comm "$in")" ]
	run -0 stackcollapse --format folded <<<'a;b 1'
	[ "$output" = 'a;b 1' ]
	run -0 stackcollapse --which --format v8 none
	[ "$output" = stackcollapse-v8 ]
	for name in nix ../v8 '' V8; do
		run -2 --separate-stderr stackcollapse --format "$name" "$in"
		[ "$stderr" = "stackcollapse: --format $name: unknown format" ]
	done
}

@test "stackcollapse refuses what it does not know" {
	echo "Dear diary" >text
	run -2 --separate-stderr stackcollapse text
	[[ $stderr == *"text: unknown format" ]]
	run -2 --separate-stderr stackcollapse text "$DATA/pprof/go-cpu.in"
	run -2 --separate-stderr stackcollapse "$DATA/v8/prof.in" \
		"$DATA/pprof/go-cpu.in"
	[[ $stderr == *"go-cpu.in is for stackcollapse-pprof, but the file"* ]]
}

@test "stackcollapse: perf script text whose frames begin in column 0" {
	run -0 stackcollapse --which "$DATA/perf/column0.in"
	[ "$output" = stackcollapse-perf ]
}

@test "stackcollapse: perf script text that begins with other records" {
	local sample='a 1 1.0: 1 cycles:\n\t 12345 f (/bin/a)\n\n'

	printf 'a 1 1.0: PERF_RECORD_COMM: a:1/1\n' >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-perf ]
	printf '%b' 'a 1 1.0: 1 cycles:\n\na 1 1.1: 2 cycles:\n\n' "$sample" >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-perf ]
	printf '%b' 'a 1 1.0: 1 cycles:\n\nDear diary\n' "$sample" >p
	run -2 stackcollapse --which p
}

@test "stackcollapse: what luajit -jp=r prints" {
	printf '  135  f\n  <-   134  main\n   39  g < h\n\n' >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-luajit ]
	# what the shell lists as its history
	printf '    1  make\n    2  make check\n' >p
	run -2 stackcollapse --which p
	printf '   40 f\n' >p
	run -2 stackcollapse --which p
}

# DevTools names the page and the machine first, and may have sources there.
@test "stackcollapse: trace events behind much else, and with V8's profile" {
	local event='{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"args":{
		"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":
		{"functionName":"f"}}],"samples":[1]},"timeDeltas":[5],
		"endTime":9}}}'

	{
		printf '{"metadata": {\n  "source": "DevTools",\n'
		printf '  "sourceMaps": ["%065536d"]},\n"traceEvents": [\n' 0
		echo "$event]}"
	} >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-chrome ]
	run -0 stackcollapse --which <p
	[ "$output" = stackcollapse-chrome ]
	echo "{\"traceEvents\": [$event]}" >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-chrome ]
}

@test "stackcollapse: Erlang's functions are folded text, not Typhon's" {
	printf '%s\n' "(<0.36.0>);eflame:apply1/3;lists:map/2 10" \
		"(<0.36.0>);SLEEP 5" >eflame
	printf '%s\n' "beam.smp;\$'Elixir.Enum':map/2 3" "beam.smp 1" >perf
	for p in eflame perf; do
		run -0 stackcollapse --which $p
		[ "$output" = foldmerge ]
	done
	printf '%s\n' "a,b.x y/3 (JIT);main.run/1 2" >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-typhon ]
}

@test "stackcollapse: a profile of pprof with a comment" {
	{ cpu_profile leaf; field 13 6; } >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-pprof ]
}

@test "stackcollapse: folded text that looks like a part of other formats" {
	# fields of a message, and a line of the old pmp
	printf '%s\n' '@memA.lua:3 4144' '@memA.lua:4 224' 'INTERNAL;a 5' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
	echo '#fold=1;counts=1' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
	echo '<module> (/srv/a.py:23);main (/srv/a.py:16) 1' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
}

@test "stackcollapse: short folded text, with decimals, tabs or one frame" {
	local p

	echo 'a;b 1.5' >decimals
	printf 'a;b\t5\n' >tab
	echo 'main 5' >frame
	printf 'a;b 5 6\nc;d 0.5 7\n\n' >two
	printf 'a;b 5\nc 7\n' | foldmerge --tsv >tsv
	printf 'a;b 5 1\nc;d 7 2\n' | foldmerge --tsv >tsv2
	for p in decimals tab frame two tsv tsv2; do
		echo "# $p"
		run -0 stackcollapse --which $p
		[ "$output" = foldmerge ]
		run -0 --separate-stderr stackcollapse --strict $p
		[ -n "$output" ]
	done
	# lines of a table
	printf '%s\n' '1 5' '2 7' >table
	run -2 stackcollapse --which table
	printf '%s\n' 'Dear diary' 'main 5' >text
	run -2 stackcollapse --which text
}

@test "stackcollapse: what is binary is not folded text" {
	echo 'a;b 5' >a.folded
	tar -cf p a.folded
	run -2 --separate-stderr stackcollapse p
	[[ $stderr == *"p: unknown format; it looks like an archive"*"tar -xf" ]]
	xz <a.folded >p
	run -2 --separate-stderr stackcollapse p
	[[ $stderr == *"decompress it with xz -dc" ]]
	printf 'a\0;b 5\n' >p
	run -2 --separate-stderr stackcollapse p
	[[ $stderr == *"unknown format" ]]
}

@test "stackcollapse names what converts a file that it does not read" {
	printf '\4\10{\12:\14version' >dump
	run -2 --separate-stderr stackcollapse dump
	[[ $stderr == *"dump: "*"stackprof --json" ]]
	printf 'Nettrace' >net
	run -2 --separate-stderr stackcollapse <net
	[[ $stderr == *"stdin: "*"dotnet-trace convert"* ]]
	echo 'a 1' | flamegraph >svg
	run -2 --separate-stderr stackcollapse svg
	[[ $stderr == *"svg: "*"unflame" ]]
}

@test "stackcollapse: a file of speedscope whose profiles come late" {
	{
		printf '{"%sschema":"https://www.speedscope.app/%s' '$' \
			'file-format-schema.json","shared":{"frames":['
		yes '{"name":"function"},' | head -n 500
		echo '{"name":"last"}]},"profiles":[]}'
	} >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-speedscope ]
}
