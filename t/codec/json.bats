#!/usr/bin/env bats
# json.bats - traces in JSON, of any size and depth.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# What waits for its weight or its place does so in a file.
@test "JSON: memory does not grow with the trace" {
	local format peak

	need_native
	need_plain "sanitizers keep for long what was freed"
	for format in v8 chrome speedscope evented stackprof; do
		"$top_builddir/t/programs/mkvm" $format 40 >big
		peak=$("$top_builddir/t/programs/cpu" big \
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
	[[ $stderr == *"the JSON is truncated"* ]]
}

@test "JSON: what follows the end is said" {
	local format

	for format in chrome ghcprof speedscope stackprof v8; do
		echo '{}{}' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"text after the end of the JSON"* ]]
	done
}

@test "JSON: a mark of UTF-8 or blanks before it" {
	local before

	for before in '\xef\xbb\xbf' '\n '; do
		printf '%b' "$before" >p
		echo '{"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":10}]}' \
			>>p
		run -0 --separate-stderr stackcollapse p
		[ "$output" = "a 10" ]
	done
}
