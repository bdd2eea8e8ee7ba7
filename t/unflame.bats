#!/usr/bin/env bats
# unflame.bats - what unflame(1) promises.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'main;b-x 5' 'main;b 1' 'main;b;c 2.5' 'main;b 1' \
		'other_[k];[libc.so <7f>];;x y 3' 'a;日本語;\xff 7' >in
}

# same FILE [OPTION...]: through a picture and back is what foldmerge gives.
same() {
	local file=$1

	shift
	flamegraph -q "$@" "$file" >out.svg
	unflame out.svg >back
	foldmerge "$file" | cmp - back
}

@test "the profile comes back as foldmerge has it" {
	same in
}

@test "so it does whatever the picture looks like" {
	same in --inverted --width 300 --minwidth 50% --no-deflate --hash
	same in --flamechart
	same in --format html
	same in --colors hot --title '<metadata data-fg="table" data-form="x">'
}

@test "so do a million counts of 64 bits, and a deep stack" {
	awk 'BEGIN {
		for (i = 0; i < 20000; i++)
			printf "f%d;g%d;h%d %.0f\n", i % 7, i % 91, i, 1e14 + i
		for (i = 0; i < 10000; i++)
			s = s "f" i ";"
		print s "end 1"
	}' >many
	printf '%s\n' 'max;a 9223372036854775807' >>many
	same many
}

@test "so does a diff, with its header" {
	printf '%s\n' 'm;a 1 2' 'm;b 0 3' 'm;c 4 0' 'm 1.5 2' >two
	same two
	printf '%s\n' '#fold=1;counts=2;event=cycles;unit=cycles' 'm;a 1 2' >two
	same two
	grep -q '^#fold=1;counts=2.*event=cycles' back
}

@test "--meta gives the header of a profile with one count" {
	printf '%s\n' '#fold=1;unit=ns;hz=99' 'm;a 10' >meta
	flamegraph meta >out.svg
	run -0 unflame out.svg
	[ "$output" = 'm;a 10' ]
	run -0 unflame --meta out.svg
	[ "${lines[0]}" = "$(foldmerge --meta meta | head -n 1)" ]
}

@test "pictures are added up" {
	flamegraph in >out.svg
	unflame out.svg out.svg >back
	foldmerge in in | cmp - back
}

@test "so are pictures behind each other, and in a page" {
	flamegraph in >out.svg
	foldmerge in in in >want
	cat out.svg out.svg out.svg | unflame | cmp - want
	{
		echo '<!DOCTYPE html><body>'
		tail -qn +2 out.svg out.svg out.svg | tr '\n' ' '
	} >page
	unflame page | cmp - want
	flamegraph --static in >static.svg
	for file in 'out.svg static.svg' 'static.svg out.svg'; do
		# shellcheck disable=SC2086
		cat $file >both
		run -2 --separate-stderr unflame both
		[ -z "$output" ] && [[ $stderr == *'or drawn with --static'* ]]
	done
}

@test "a picture without the whole profile is status 2" {
	for option in --static --reverse '--max-frames 2'; do
		# shellcheck disable=SC2086
		flamegraph -q $option in >out.svg
		run -2 unflame out.svg
		[ -n "$output" ]
	done
}

@test "what is no picture of ours is status 2" {
	run -2 unflame in
	run -2 unflame /dev/null
	echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >out.svg
	run -2 unflame out.svg
}

@test "an empty profile comes back empty" {
	: >empty
	same empty
	[ ! -s back ]
}

@test "damaged tables end with a status, never with a signal" {
	flamegraph --no-deflate in >out.svg
	table=$(sed -n 's/.*data-form="raw">\([^<]*\)<.*/\1/p' out.svg)
	size=$(printf %s "$table" | base64 -d | wc -c)
	for at in $(seq 0 $((size - 1))); do
		for byte in 377 001 200; do
			printf %s "$table" | base64 -d >table
			# shellcheck disable=SC2059
			printf "\\$byte" | dd of=table bs=1 seek="$at" \
				conv=notrunc status=none
			printf '<metadata data-fg="table" data-form="raw">%s</x>\n' \
				"$(base64 -w 0 <table)" >bad.svg
			status=0
			unflame bad.svg >/dev/null 2>&1 || status=$?
			[ $status -le 2 ]
		done
	done
}

@test "names in a table that are no names are refused" {
	for name in 'a;b' 'a\nb' '#fold=9'; do
		# version 1, flags 0, scale 0, header 0, 1 name, 1 frame, the
		# name, its colour; up 0, name 0, count 1
		{
			printf '\001\000\000\000\001\001\000'
			# shellcheck disable=SC2059
			printf "\\$(printf %o "$(printf "$name" | wc -c)")"
			# shellcheck disable=SC2059
			printf "$name"
			printf '\000\000\000\001'
		} >table
		printf '<metadata data-fg="table" data-form="raw">%s</x>\n' \
			"$(base64 -w 0 <table)" >bad.svg
		run -2 unflame bad.svg
	done
}

@test "what becomes too much when it is unpacked is refused" {
	# One name of 60000 bytes, and 2000 more that begin like it.
	{
		printf '\001\000\000\000\321\017\321\017\000\340\324\003'
		printf '%60000s' '' | tr ' ' a
		printf '\340\324\003\004%s' {1000..2999}
	} >table
	printf '<metadata data-fg="table" data-form="raw">%s</x>\n' \
		"$(base64 -w 0 <table)" >bad.svg
	run -2 unflame bad.svg
	[ "$output" = 'unflame: bad.svg: its names need too much memory' ]
	{
		printf '\170\234'
		head -c 40000000 /dev/zero | gzip -n9 | tail -c +11
	} >table
	printf '<metadata data-fg="table" data-form="deflate">%s</x>\n' \
		"$(base64 -w 0 <table)" >bad.svg
	run -2 unflame bad.svg
	[ "$output" = 'unflame: bad.svg: the table decompresses to too many bytes' ]
}

@test "an unwritable output is status 2" {
	flamegraph in >out.svg
	run -2 bash -c 'unflame out.svg >/dev/full'
}
