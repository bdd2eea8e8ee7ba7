#!/usr/bin/env bats
# foldmerge.bats - what foldmerge(1) promises.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'a;b 1' 'a 2' 'c 0.25' >x
	printf '%s\n' 'a;b 10' 'd 0.5' 'c 0.75' >y
	printf '%s\n' 'a 0.1' 'c 1' >z
	cat >s1 <<'END'
#fold=1;counts=1;unit=ns;clock=perf;event=cpu-clock;host=one
#time=10.000000000;pid=1
a;b 100
#time=12.500000000;pid=2
a 100
END
	cat >s2 <<'END'
#fold=1;counts=1;unit=ns;clock=perf;event=task-clock;host=two;n=5;quantum=100;time=8.000000000;dur=3.000000000;lost=2
a;b 500

#fold=1;counts=1;unit=ns;clock=perf;event=task-clock;host=two;n=1;quantum=100;time=11.000000000;dur=9.000000000

END
}

@test "equal stacks are added up" {
	run -0 foldmerge x y z
	[ "$output" = $'a 2.1\na;b 11\nc 2\nd 0.5' ]
}

@test "a merge of merges is the merge of all, byte for byte" {
	foldmerge x y z >all
	foldmerge x y | foldmerge - z >left
	foldmerge y z | foldmerge x - >right
	foldmerge z y x >back
	cmp all left
	cmp all right
	cmp all back
	foldmerge --meta s1 s2 x >all
	foldmerge --meta s1 s2 | foldmerge --meta - x >left
	foldmerge --meta s2 x | foldmerge --meta s1 - >right
	foldmerge --meta x s2 s1 >back
	cmp all left
	cmp all right
	cmp all back
}

@test "merging one profile with itself doubles it" {
	foldmerge x x | foldmerge - >out
	run -0 cat out
	[ "$output" = $'a 4\na;b 2\nc 0.5' ]
}

@test "an empty input is an empty profile" {
	run -0 foldmerge /dev/null
	[ -z "$output" ]
	foldmerge x /dev/null >a
	foldmerge x >b
	cmp a b
}

@test "sample and snapshot streams become plain profiles" {
	run -0 foldmerge s1 s2
	[ "$output" = $'a 100\na;b 600' ]
}

@test "plain profiles have metadata only with --meta" {
	run -0 foldmerge s2
	[ "$output" = 'a;b 500' ]
	run -0 foldmerge --meta x
	[ "${lines[0]}" = '#fold=1;counts=1' ]
}

@test "metadata is merged by its rules" {
	run -0 foldmerge --meta s1 s2
	[ "${lines[0]}" = '#fold=1;counts=1;clock=perf;dur=12.000000000;host=one,two;lost=2;n=8;quantum=100;time=8.000000000;unit=ns' ]
}

@test "a stream's number, quantum and times are those of its samples" {
	run -0 foldmerge --meta s1
	[ "${lines[0]}" = '#fold=1;counts=1;clock=perf;dur=2.500000000;event=cpu-clock;host=one;n=2;quantum=100;time=10.000000000;unit=ns' ]
}

@test "nothing is no quantum" {
	printf '%s\n' '#fold=1;clock=perf' '#time=1.000000000' 'a 0' >zero
	run -0 foldmerge --meta zero
	[[ ${lines[0]} == *';n=1;time='* ]]
}

@test "the order of merging does not show in the metadata" {
	printf '#fold=1;event=x;zone=a\na 1\n' >k1
	printf '#fold=1;event=x;zone=a;lost=1;host=b\na 1\n' >k2
	printf '#fold=1;counts=1;zone=a;event=x;unit=ns;host=c;lost=2\na 1\n' >k3
	foldmerge --meta k1 k2 k3 >all
	cmp all <(foldmerge --meta k1 k2 | foldmerge --meta - k3)
	cmp all <(foldmerge --meta k2 k3 | foldmerge --meta - k1)
	cmp all <(foldmerge --meta k3 k1 | foldmerge --meta - k2)
	run -0 head -n 1 all
	[ "$output" = '#fold=1;counts=1;event=x;host=b,c;lost=3;unit=ns;zone=a' ]
}

@test "what one stack contradicts is not said of all" {
	printf '#fold=1;event=x;comm=c\n#event=y;comm=c\na 1\n' >own
	run -0 foldmerge --meta own
	[ "${lines[0]}" = '#fold=1;counts=1;comm=c' ]
}

@test "times on different clocks make no span" {
	sed 's/clock=perf/clock=monotonic/' s2 >s3
	run -0 foldmerge --meta s1 s3
	[[ ${lines[0]} != *clock=* && ${lines[0]} != *time=* ]]
}

@test "what follows the last blank line of a stream does not count" {
	cat >stream <<-'END'
	#fold=1;time=1.000000000;dur=1.000000000;n=1
	a 1

	#fold=1;time=2.000000000;dur=1.000000000;n=2
	a 2
	b 4
	END
	run -0 --separate-stderr foldmerge --meta stream
	[ "$output" = $'#fold=1;counts=1;dur=1.000000000;n=1;time=1.000000000\na 1' ]
	[[ $stderr == *'stream: dropped the last snapshot'* ]]
	echo >>stream
	run -0 --separate-stderr foldmerge --meta stream
	[ "$output" = $'#fold=1;counts=1;dur=2.000000000;n=3;time=1.000000000\na 3\nb 4' ]
	[ -z "$stderr" ]
	# The next input is not the stream's.
	head -n -1 stream >cut-off
	run -0 --separate-stderr foldmerge -q cut-off x
	[ "${lines[0]}" = 'a 3' ]
	# A profile with metadata has no blank line.
	head -n 2 stream >profile
	run -0 --separate-stderr foldmerge profile
	[ "$output" = 'a 1' ]
	[ -z "$stderr" ]
}

@test "keys that are not ours stay if all have them alike" {
	printf '#fold=1;build=7;flavour=a\na 1\n' >k1
	printf '#fold=1;build=7;flavour=b\na 1\n' >k2
	run -0 foldmerge --meta k1 k2
	[ "${lines[0]}" = '#fold=1;counts=1;build=7' ]
}

@test "different units are not added up" {
	printf '#fold=1;unit=ns\na 1\n' >ns
	printf '#fold=1;unit=cycles\na 1\n' >cycles
	run -2 --separate-stderr foldmerge ns cycles
	[ -z "$output" ]
	[[ $stderr == *'cycles:2: '*unit* ]]
	run -2 --separate-stderr foldmerge ns x cycles
}

@test "only deltas are added up" {
	for kind in cum window ewma; do
		printf '#fold=1;kind=%s\na 1\n' $kind >k
		run -2 --separate-stderr foldmerge k
		[[ $stderr == *'only deltas'* ]]
	done
	printf '#fold=1;kind=delta\na 1\n' >k
	run -0 foldmerge k
}

@test "different numbers of counts are not added up" {
	echo 'a 1 2' >two
	run -2 --separate-stderr foldmerge x two
	[ -z "$output" ]
	[[ $stderr == *'two:1: 2 counts'* ]]
}

@test "the number of counts is that of the headers, if there are no stacks" {
	echo '#fold=1;counts=2;unit=ns' >two
	echo '#fold=1;counts=1;unit=ns' >one
	for sorted in '' --sorted; do
		# shellcheck disable=SC2086 # or no option
		{
			run -0 foldmerge $sorted two
			[ "$output" = '#fold=1;counts=2;unit=ns' ]
			run -2 --separate-stderr foldmerge $sorted one two
			[[ $stderr == *'another number of counts' ]]
		}
	done
}

@test "two counts are added up column by column" {
	printf '%s\n' 'a;b 1 2' 'a 0 1' >two
	run -0 foldmerge two two
	[ "$output" = $'#fold=1;counts=2\na 0 2\na;b 2 4' ]
}

@test "verdicts of folddiff are not passed on" {
	printf '#fold=1;counts=2;test=1\n#node=a;class=up;lo=1;hi=2;q=0.1\na 1 2\n' >d
	run -0 foldmerge d
	[ "$output" = $'#fold=1;counts=2\na 1 2' ]
}

@test "with --min the number of samples is not known" {
	printf '#fold=1;n=5;quantum=2\na;b 8\nc 2\n' >five
	run -0 foldmerge --meta --min 3 five
	[ "$output" = $'#fold=1;counts=1;quantum=2\na;b 8' ]
}

@test "--min leaves out what is below" {
	run -0 foldmerge --min 1.5 x y
	[ "$output" = $'a 2\na;b 11' ]
	printf '%s\n' 'a 1 9' 'b 9 1' 'c 1 1' >two
	run -0 foldmerge --min 2 two
	[ "$output" = $'#fold=1;counts=2\na 1 9\nb 9 1' ]
	run -2 foldmerge --min x x
}

@test "a sum beyond 64 bits is an error, and nothing is written" {
	printf 'a 18446744073709551615\nb 1\na 1\n' >big
	run -2 --separate-stderr foldmerge --meta big
	[ -z "$output" ]
	[[ $stderr == *'64 bits'* ]]
	printf 'a 18446744073709551615.5\na 0.5\n' >big
	run -2 --separate-stderr foldmerge big
	printf 'a 18446744073709551614\na 1\n' >fits
	run -0 foldmerge fits
	[ "$output" = 'a 18446744073709551615' ]
}

@test "compressed input is recognised, on standard input too" {
	foldmerge x >plain
	gzip -k x
	cp x.gz odd.name
	cmp plain <(foldmerge odd.name)
	cmp plain <(foldmerge <x.gz)
	# shellcheck disable=SC2002 # a pipe cannot seek
	cmp plain <(cat x.gz | foldmerge)
	command -v zstd >/dev/null || skip "no zstd"
	zstd -q x
	cmp plain <(foldmerge x.zst)
	# shellcheck disable=SC2002
	cmp plain <(cat x.zst | foldmerge)
}

@test "truncated compressed input is an error" {
	seq 100000 | sed 's/^/a;f/; s/$/ 1/' | gzip >whole.gz
	head -c 20000 whole.gz >cut.gz
	run -2 --separate-stderr foldmerge cut.gz
	[ -z "$output" ]
	[[ $stderr == *'cut.gz: gzip -dc failed'* ]]
	# shellcheck disable=SC2002
	run -2 --separate-stderr sh -c 'cat cut.gz | foldmerge'
	[[ $stderr == *'gzip -dc failed'* ]]
}

@test "--strict makes a line that is not understood status 1" {
	echo garbage >>x
	run -0 --separate-stderr foldmerge x
	run -1 --separate-stderr foldmerge --strict x
	[ "${lines[0]}" = 'a 2' ]
	[[ $stderr == *'x:4: '* ]]
	run -0 --separate-stderr foldmerge -q x
	[ -z "$stderr" ]
	run -1 foldmerge -q --strict x
}

@test "input of which nothing is understood is an error" {
	head -c 300 /dev/urandom | tr -d '0-9' >junk
	run -2 --separate-stderr foldmerge -q junk
	[ -z "$output" ]
	[[ $stderr == *'no input could be parsed'* ]]
}

@test "a file that is not there is an error with its name" {
	run -2 --separate-stderr foldmerge x nowhere
	[ -z "$output" ]
	[[ $stderr == *'nowhere: No such file'* ]]
}

# parts N: N profiles whose stacks overlap, part1 ...; those of sorted/ sorted.
parts() {
	local i

	mkdir -p sorted
	for ((i = 1; i <= $1; i++)); do
		awk -v i="$i" 'BEGIN {
			for (k = 0; k < 400; k++) {
				n = (k * 7919 + i * 104729) % 1000
				print "main;f" n % 30 ";a b " n % 7 ";g" n, k % 9 + 1
			}
		}' >"part$i"
		foldmerge "part$i" >"sorted/$i"
	done
}

@test "sorted profiles are merged line by line, to the same bytes" {
	parts 20
	foldmerge part* >all
	foldmerge --sorted sorted/* >out
	cmp all out
	foldmerge --sorted --min 50 sorted/* >out
	foldmerge --min 50 all | cmp - out
	foldmerge --meta part* >all
	foldmerge --meta --sorted sorted/* >out
	cmp all out
}

@test "more sorted profiles than can be open are merged in rounds" {
	parts 40
	foldmerge part* >all
	printf 'sorted/%d\0' {1..40} >names
	(
		ulimit -n 24
		foldmerge --sorted --files0-from names >out
	)
	cmp all out
	printf 'z\0%.0s' {1..2000} >many
	run -0 foldmerge --sorted --files0-from many
	[ "$output" = $'a 200\nc 2000' ]
	run -2 foldmerge --files0-from names x
	printf 'x\0\0y' >names
	run -2 foldmerge --files0-from names
	[[ $output == *'name 2'* ]]
	run -2 foldmerge --files0-from /dev/null
}

@test "--sorted tells where an input is not sorted" {
	printf '%s\n' 'a 1' 'c 2' 'b 3' >disorder
	printf '%s\n' 'a 1' 'b 2' >order
	run -2 --separate-stderr foldmerge --sorted order disorder
	[[ $stderr == *'disorder:3: it is not sorted'* ]]
	run -2 --separate-stderr foldmerge --sorted s1
	[[ $stderr == *'s1:2: it is a stream'* ]]
	printf '%s\n' 'a 1 2' >two
	printf '%s\n' 'a 3' >one
	run -2 --separate-stderr foldmerge --sorted two one
	[[ $stderr == *'one:1: its lines have another number of counts'* ]]
}

@test "--sorted adds up lines that are equal, and finds sums that do not fit" {
	printf '%s\n' 'a 1' 'a 2' 'b 1' >equal
	run -0 foldmerge --sorted equal equal
	[ "$output" = $'a 6\nb 2' ]
	printf '%s\n' 'a 18446744073709551615' 'b 1' >large
	run -2 foldmerge --sorted equal large
	run -0 foldmerge --sorted <equal
	[ "$output" = $'a 3\nb 1' ]
	printf '%s\n' 'a 1 2' 'b 3 4' >two
	run -0 foldmerge --sorted two two
	[ "$output" = $'#fold=1;counts=2\na 2 4\nb 6 8' ]
}

@test "what exceeds --memory goes to TMPDIR, and comes back to the same bytes" {
	parts 20
	foldmerge part* >all
	mkdir tmp
	TMPDIR=$PWD/tmp foldmerge --memory 100K part* >out
	cmp all out
	(
		ulimit -n 24
		foldmerge --memory 10K part* >out
	)
	cmp all out
	foldmerge --memory 10K s1 s2 --meta >out
	foldmerge s1 s2 --meta | cmp - out
	[ -z "$(ls tmp)" ]
	TMPDIR=/nonexistent run -2 foldmerge --memory 10K part1
	[[ $output == *'/nonexistent: cannot store'* ]]
}

# holds_temporary PID: a file that has no name is open in TMPDIR.
holds_temporary() {
	find "/proc/$1/fd" -lname "$TMPDIR/*(deleted)" | grep -q .
}

@test "a temporary file has no name, even if the program is killed" {
	local pid

	mkdir tmp
	mkfifo fifo
	TMPDIR=$PWD/tmp
	export TMPDIR
	foldmerge --memory 1K <fifo 3>&- &
	pid=$!
	exec 4>fifo
	seq 20000 | sed 's/^/a;f/; s/$/ 1/' >&4
	within_minutes holds_temporary $pid
	[ -z "$(ls -A tmp)" ]
	kill -KILL $pid
	wait $pid || true
	exec 4>&-
	[ -z "$(ls -A tmp)" ]
}

@test "--memory is a size" {
	local size

	for size in 0 x 1Q K 99999999T; do
		run -2 foldmerge --memory $size x
	done
	run -0 foldmerge --memory 4G x
}

@test "--tsv is a table with tabs, which is read as well" {
	printf '%s\n' 'a 5 2' 'b 1' >blank
	foldmerge --counts 1 --tsv blank >table
	run -0 cat table
	[ "$output" = $'a 5\t2\nb\t1' ]
	run -0 foldmerge table table
	[ "$output" = $'a 5 4\nb 2' ]
	foldmerge --sorted --tsv table table >double
	run -0 cat double
	[ "$output" = $'a 5\t4\nb\t2' ]
	printf '%s\n' 'a 1 2' >two
	foldmerge --tsv two >table
	run -0 cat table
	[ "$output" = $'a\t1\t2' ]
	run -0 foldmerge table
	[ "$output" = $'#fold=1;counts=2\na 1 2' ]
}

@test "a mapper, sort and a reducer are the merge" {
	parts 8
	foldmerge --tsv part* >all
	cat part* | split -l 500 - chunk.
	for chunk in chunk.*; do
		foldmerge --tsv "$chunk"
	done | sort -t $'\t' -k 1,1 | foldmerge --sorted --tsv >out
	cmp all out
}

@test "--hash is XXH64 of the stack" {
	printf '%s\n' 'a;b;c 1' 'main 2' >profile
	foldmerge --tsv --hash profile >out
	run -0 cat out
	# As "xxhsum -H64" has it, in decimal.
	[ "$output" = $'10133901550814754746\ta;b;c\t1\n1164858042786835974\tmain\t2' ]
	run -2 foldmerge --hash profile
}

@test "--max-line shortens stacks from the root, and adds them up again" {
	local long=ffffffffffffffffffffffffffffffffffffffffffffffffff

	printf '%s\n' "app;x;$long;leaf 1" "app;y;$long;leaf 2" 'app;leaf 3' >profile
	run -0 --separate-stderr foldmerge --max-line 116 profile
	[ "$output" = $'app;[truncated];leaf 3\napp;leaf 3' ]
	[[ $stderr == *'2 stacks were too long'* ]]
	foldmerge -q --max-line 116 profile | foldmerge --max-line 120 >out 2>err
	[ ! -s err ]
	printf '\303\244%s 1\n' "$long$long" >profile
	run -0 --separate-stderr foldmerge --max-line 118 profile
	[[ ${output%% *} == '[truncated];'* && ${#output} -le 118 ]]
	run -2 foldmerge --max-line 5 profile
	run -2 foldmerge --sorted --max-line 200 profile
}

@test "any split, in any order and any locale, gives the same bytes" {
	local i

	parts 4
	foldmerge part* >all
	for i in 1 2 3; do
		cat part* | awk -v i=$i '{ print (NR * 7919 * i) % 1601, $0 }' |
			sort -n | cut -d ' ' -f 2- | split -n "r/$((i + 1))" - "piece$i."
		for piece in "piece$i".*; do
			foldmerge "$piece" >"$piece.sorted"
		done
		LC_ALL=C.UTF-8 foldmerge --sorted "piece$i".*.sorted >out
		cmp all out
	done
}

@test "compressed input is read where SIGCHLD is ignored" {
	printf 'a;b 1\n' | gzip >"$BATS_TEST_TMPDIR/a.gz"
	run -0 sh -c "trap '' CHLD; exec foldmerge '$BATS_TEST_TMPDIR/a.gz'"
	[ "$output" = 'a;b 1' ]
}

# Frames are numbers of two bytes, or of four after 65536 names.
@test "stacks of more than 65536 names are merged" {
	seq 70000 | awk '{ print "main;f" $1 ";f" $1 % 9 + 65530, 1 }' >up
	sort -R --random-source=up up >mixed
	sed 's/ 1$/ 3/' up | sort -t ' ' -k1,1 >expected
	foldmerge up mixed up | diff expected -
	foldmerge --threads 3 up mixed up | diff expected -
}

# bats test_tags=threads
@test "any number of threads gives the same bytes" {
	local n

	cd "$BATS_TEST_TMPDIR"
	awk 'BEGIN {
		x = 1
		for (i = 0; i < 30000; i++) {
			x = (x * 16807) % 2147483647
			printf "main;%s%d", x % 3 ? "run;" : "", x % 900
			for (k = int(x / 7) % 9; k > 0; k--)
				printf ";f%d", int(x / 1000) % (k * k + 50)
			print (x % 5 ? "" : ";leaf" i) " " 1 + x % 9
		}
	}' >many
	foldmerge --threads 1 many >one
	[ "$(wc -l <one)" -gt 8192 ]
	LC_ALL=C sort -c <(sed 's/ [0-9]*$//' one)
	for n in 2 3 8 64; do
		foldmerge --threads "$n" many >out
		cmp one out
		foldmerge --threads "$n" --min 9 --tsv --hash many >out
		cmp <(foldmerge --threads 1 --min 9 --tsv --hash many) out
	done
	run -2 foldmerge --threads 0 many
	run -2 foldmerge --threads 65 many
	run -2 --separate-stderr sh -c 'foldmerge --threads 3 many >/dev/full'
}
