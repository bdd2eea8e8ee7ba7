#!/usr/bin/env bats
# flamegraph_sorted.bats - sorted stacks of a file are drawn as they are read;
# stacks from a pipe are not, so both must give the same picture.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# invent SEED: stacks whose names begin with each other's, sorted by bytes.
invent() {
	awk -v seed="$1" '
	function random(n) {
		x = (x * 16807) % 2147483647
		return x % n
	}
	BEGIN {
		x = seed
		n = split("foo,foo(int),foo(int&),foo<int>,fo,a b,a,a!", name, ",")
		for (i = 0; i < 3000; i++) {
			line = "main"
			for (k = random(7); k >= 0; k--)
				line = line ";" name[1 + random(n)] \
					(random(3) == 0 ? random(9) : "")
			count[line] += random(4) * random(50)
		}
		for (line in count)
			print line "\t" count[line]
	}' | LC_ALL=C sort -t $'\t' -k 1,1 | tr '\t' ' '
}

# same FILE [OPTION...]: the picture of a file and of a pipe.
same() {
	local file=$1
	shift
	flamegraph "$@" <"$file" >file.svg 2>file.err
	# shellcheck disable=SC2002
	cat "$file" | flamegraph "$@" >pipe.svg 2>pipe.err
	cmp file.svg pipe.svg
	cmp file.err pipe.err
}

@test "sorted stacks give the same picture from a file and from a pipe" {
	local seed
	for seed in 1 2 3; do
		invent $seed >in
		same in
		unflame file.svg >out
		cmp <(grep -v ' 0$' in | LC_ALL=C sort) \
			<(grep -v -e '^#' -e ' 0$' out | LC_ALL=C sort)
	done
}

@test "the same frames are merged while sorted stacks are read" {
	local seed max
	for seed in 4 5 6; do
		invent $seed >in
		for max in 1 2 30 200 800 1500; do
			same in --max-frames $max
		done
	done
}

@test "a stack out of order is drawn where it belongs" {
	local at
	invent 7 >in
	for at in 2 900 '$'; do
		sed "${at}s/.*/&\nmain;a!;a b 1000/" in >late
		same late
		same late --max-frames 100
	done
}

@test "what the tree of sorted stacks does not have is read again" {
	invent 8 >in
	for last in 'z 1.5' 'z;z 0.000001' '# a comment' 'no count' ';;z;; 7' \
		$'z\001;z 3' 'main 4'; do
		{
			cat in
			printf '%s\n' "$last"
		} >"more"
		same more
		same more --max-frames 100
	done
	sed 's/$/ 5/' in >two
	same two
	same two --max-frames 100
	{
		echo '# fold=1 unit=ms'
		cat in
		echo '# fold=1 unit=ms'
		cat in
	} >twice
	same twice --max-frames 100
}

@test "snapshots after the first are read again" {
	invent 9 >in
	for n in 1 2 3; do
		echo "#fold=1;time=$n.000000000;dur=1.000000000;n=$n"
		sed "s/^/$n/" in
		echo
	done >stream
	same stream
	same stream --max-frames 100
	echo 'main;rest 5' >>stream
	same stream
}

@test "sums beyond 64 bits are found in sorted stacks, too" {
	printf '%s\n' 'a 18446744073709551615' 'b 0' 'c 1' >in
	run -2 flamegraph in
	[[ $output == *'in:3: the sum exceeds 64 bits' ]]
}

@test "a sorted file on standard input is read from where it stands" {
	printf '%s\n' 'junk 1' 'b 1' 'a 2' >in
	{
		IFS= read -r _
		flamegraph >rest.svg
	} <in
	printf '%s\n' 'b 1' 'a 2' | flamegraph >pipe.svg
	cmp rest.svg pipe.svg
}
