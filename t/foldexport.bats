#!/usr/bin/env bats
# foldexport.bats - what foldexport(1) promises, asked of those who read the
# formats: t/compare/unexport, our own readers, pprof and callgrind_annotate.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'comm;a;a;b;a 5' 'comm;a;b 3' 'comm;a;b;c_[k];e_[k] 4' \
		'comm;a;b;d_[i];e_[i] 2' 'comm;a;b_[j];f_[0];g_[1] 9' \
		'comm;a;w_[w];x 1' 'comm;z;[libc.so.6] 1' \
		'comm;z;[libc.so.6 <7f12ab>]_[j] 6' 'comm;z;[unknown] 7' \
		'swapper/0;cpu_idle 8' >profile
	foldmerge -q profile >merged
	printf '%s\n' '#fold=1;counts=1;unit=ns;clock=perf;event=cpu-clock' \
		'#time=10.000000000;pid=7;tid=7' 'comm;a;b_[k] 1000000' \
		'#time=10.500000001;pid=7;tid=8' 'comm;a 2000000' \
		'#time=11.000000000;pid=7;tid=7' 'comm;a 1500000' >stream
	printf '%s\n' '#fold=1;counts=2;unit=ns' 'a;b 10 4' 'a;c 0 5' \
		'a;d_[i] 7 0' >two
}

# Names and metadata that would end a string, a field or a line.
hostile() {
	printf '%s\n' "#fold=1;unit=a%22b%2Cc%0A%3C;host=%00%5C%22%FF%0Afn%3D%281%29" \
		'"quoted","twice";\back\\slash\" 1' $'tab\there;\x01\x7f\xc2\x85 2' \
		$'bad \xff\xc0\x80 utf8;\xed\xa0\x80 3' \
		'(12) callgrind;fn=(3);cfn=(4) x;+5;* 4' \
		$'\xe2\x80\xa8line;\xc3\xa9t\xc3\xa9;\xf0\x9f\x94\xa5 5' \
		"it's;%s%n;\${x};{\"a\":[1]} 6" '</script>;]]>;<!--; 7' \
		'=1+1;-a;@b,c 8' "f'2;g'3 9" 'a b  c;  d ;e_[i]_[k] 10'
}

need() {
	command -v "$1" >/dev/null || skip "no $1"
}

# unexport FORMAT FILE OPTION...: the profile back out of what was exported.
unexport() {
	local format=$1 file=$2

	shift 2
	foldexport -q --to "$format" "$@" "$file" |
		python3 "$top_srcdir/t/compare/unexport" "$format"
}

@test "a function without a name is one of callgrind's, too" {
	echo 'a;;b 7' >profile
	foldexport --to callgrind profile | grep -x 'cfn=(.*) ???'
}

@test "--list prints the formats, an unknown one is status 2" {
	run -0 foldexport --list
	[ "$(cut -d ' ' -f 1 <<<"$output" | tr '\n' ' ')" = \
		'callgrind csv d3 firefox pprof speedscope ' ]
	run -2 --separate-stderr foldexport --to perf profile
	[ -z "$output" ] && [[ $stderr == *'no format perf'* ]]
}

@test "our readers read the same profile back, with suffixes and modules" {
	foldexport --to pprof profile >out
	run -0 stackcollapse-pprof out
	diff merged <(echo "$output")
	foldexport --to pprof --keep-suffixes profile >out
	run -0 stackcollapse-pprof out
	diff merged <(echo "$output")
	foldexport profile >out
	run -0 stackcollapse-speedscope out
	diff merged <(echo "$output")
	foldexport --to callgrind profile >out
	run -0 stackcollapse-callgrind -q --self out
	diff <(sed 's/.*;//' merged | foldmerge) <(echo "$output")
}

@test "what the formats say is the profile" {
	need python3
	for format in csv firefox speedscope; do
		diff merged <(unexport $format profile)
	done
	# Code of all tiers has one colour.
	diff <(sed 's/_\[[01]\]/_[j]/; s/_\[[01]\]/_[j]/; s/_\[w\]//' merged) \
		<(unexport d3 profile)
}

@test "a real profile goes through all formats" {
	need python3
	stackcollapse-pprof -q "$DATA/pprof/go-cpu.in" >go
	[ "$(wc -l <go)" -gt 5 ]
	foldexport --to pprof go | stackcollapse-pprof -q --args - | diff go -
	foldexport go | stackcollapse-speedscope -q - | diff go -
	for format in csv d3 firefox speedscope; do
		diff go <(unexport $format go)
	done
}

@test "the order of the input does not show" {
	foldexport --list | while read -r format _; do
		foldexport --to "$format" --title x profile >first
		tac profile | foldexport --to "$format" --title x | cmp first -
	done
}

@test "hostile names are names in every format" {
	need python3
	hostile >profile
	foldmerge -q profile >merged
	for format in csv d3 firefox speedscope; do
		diff merged <(unexport $format profile)
	done
	foldexport -q --to pprof profile | gzip -dc >out
	for name in '"quoted","twice"' '\back\\slash\"' '</script>' \
		'bad \xff\xc0\x80 utf8' 'host=\x00\"\xff\x0afn=(1)'; do
		grep -qaF "$name" out
	done
	# No line but ours begins in callgrind's, none is cut.
	unexport callgrind profile >out
	[ "$(grep -c "^f'2 0 9$" out)" -eq 1 ]
	run ! grep -P '[\x00-\x09\x0b-\x1f\x7f]' <(foldexport -q --to callgrind \
		profile)
	foldexport -q --to callgrind profile | grep -qF 'desc: host: \x00\"\xff\x0afn=(1)'
	iconv -f UTF-8 -t UTF-8 <out >/dev/null
}

@test "two counts are two values, profiles, threads or columns" {
	need python3
	foldexport --to pprof two >out
	run -0 stackcollapse-pprof --list out
	[ "$output" = $'before nanoseconds\nafter nanoseconds' ]
	run -0 stackcollapse-pprof --type before out
	[ "$output" = $'a;b 10\na;d_[i] 7' ]
	run -0 stackcollapse-pprof out
	[ "$output" = $'a;b 4\na;c 5' ]
	foldexport two >out
	run -0 stackcollapse-speedscope --profile 2 out
	[ "$output" = $'a;b 4\na;c 5' ]
	foldexport --to callgrind two >out
	run -0 stackcollapse-callgrind --self --cost before out
	[ "$output" = $'b 10\nd_[i] 7' ]
	diff <(grep -v '#' two) <(unexport csv two)
	diff <(grep -v '#' two) <(unexport d3 two)
	diff <(unexport firefox two) <(printf '%s\n' 'before: a;b 10' \
		'before: a;d_[i] 7' 'after: a;b 4' 'after: a;c 5')
}

@test "stacks whose counts are zero are left out, in every format" {
	need python3
	printf '%s\n' 'a;gone 0' 'b 1' 'b;gone 0' >profile
	for format in callgrind csv d3 firefox speedscope; do
		foldexport --to $format profile >out
		grep -q '\<b\>' out
		run ! grep gone out
	done
	foldexport --to pprof profile | gzip -dc >out
	run ! grep -a gone out
	foldexport --to d3 <(printf '%s\n' 'a;x 0 0' 'a;y 2 0') >out
	grep -q '"y","value":0,"delta":-2' out
	run ! grep '"x"' out
}

@test "a stream keeps its threads, order and times" {
	need python3
	run -0 stackcollapse-speedscope --list <(foldexport stream)
	[ "$output" = $'1 comm 7/7 nanoseconds\n2 comm 7/8 nanoseconds' ]
	diff <(unexport speedscope stream) - <<-'END'
		comm 7/7: comm;a;b_[k] 1000000
		comm 7/7: comm;a 1500000
		comm 7/8: comm;a 2000000
	END
	foldexport --to firefox stream |
		python3 "$top_srcdir/t/compare/unexport" firefox times |
		diff - <(printf '%s\n' 'comm 7/7: 0 comm;a;b_[k] 1000000' \
			'comm 7/7: 1000 comm;a 1500000' \
			'comm 7/8: 500.000001 comm;a 2000000')
	diff <(unexport csv stream) - <<-'END'
		10.000000000 7/7: comm;a;b_[k] 1000000
		10.500000001 7/8: comm;a 2000000
		11.000000000 7/7: comm;a 1500000
	END
	run -2 --separate-stderr foldexport stream profile
	[[ $stderr == *'stacks without a time'* ]]
}

@test "a stream is of one event, with its unit" {
	printf '%s\n' '#fold=1;counts=1;clock=perf' \
		'#time=1.000000000;event=cycles' 'a 1000' \
		'#time=2.000000000;event=cpu-clock' 'a;b 7' \
		'#time=3.000000000;event=cpu-clock' 'a;b 8' >stream
	run -0 --separate-stderr foldexport --to csv stream
	[ "$output" = $'time,pid,tid,stack,count\n1.000000000,,,"a",1000' ]
	[[ $stderr == *'counting only event cycles, not cpu-clock (2 samp'* ]]
	foldexport --to pprof --event-filter cpu-clock stream >out
	run -0 stackcollapse-pprof out
	[ "$output" = 'a;b 15' ]
	run -0 stackcollapse-pprof --list out
	[ "$output" = 'cpu-clock nanoseconds' ]
}

@test "a profile is of one event, too, if its metadata name it" {
	sed -i '1i #fold=1;event=cycles' profile
	for event in cycles all; do
		foldexport --event-filter "$event" --to csv profile |
			cmp - <(foldexport --to csv profile)
	done
	run -0 --separate-stderr foldexport --event-filter x --to csv profile
	[ "$output" = stack,count ]
	[[ $stderr == *'no samples of event x; the input has cycles (10 '* ]]
	sed -i 1d profile
	run -0 --separate-stderr foldexport --event-filter x --to csv profile
	[[ $stderr == *'the input has [unknown] (10 '* ]]
}

@test "counts that are no numbers of samples are not called samples" {
	for i in 1 2 3 5 7 8; do
		echo "main;f$i ${i}000123"
	done >profile
	run -0 foldexport --to callgrind profile
	[[ $output == *$'\nevents: period_units\n'* ]]
	printf '%s\n' 'main;f 2' 'main;g 3' >profile
	run -0 foldexport --to callgrind profile
	[[ $output == *$'\nevents: samples\n'* ]]
}

@test "a stream is added up where a format has no time" {
	need python3
	foldexport --to pprof stream >out
	run -0 stackcollapse-pprof out
	[ "$output" = $'comm;a 3500000\ncomm;a;b_[k] 1000000' ]
	diff <(unexport d3 stream) <(echo "$output")
}

@test "metadata go where the format has a place" {
	printf '%s\n' '#fold=1;unit=bytes;event=malloc;host=a,b;title=Of%20it' \
		'a 1' >profile
	run -0 stackcollapse-pprof --list <(foldexport --to pprof profile)
	[ "$output" = 'malloc bytes' ]
	foldexport --to pprof profile | gzip -dc | grep -qa 'host=a,b'
	run -0 foldexport --to callgrind profile
	[[ $output == *'cmd: Of it'* && $output == *'events: bytes'* ]]
	[[ $output == *'desc: host: a,b'* ]]
	run -0 foldexport profile
	[[ $output == *'"name":"Of it"'*'"unit":"bytes"'* ]]
	run -0 foldexport --to firefox --title 'My "own"' profile
	[[ $output == *'"product":"My \"own\""'* ]]
	[[ $output == *'"label":"host","format":"string","value":"a,b"'* ]]
	[[ $output == *'"weightType":"bytes"'* ]]
}

@test "counts are exact, or it is said" {
	printf '%s\n' '#fold=1;unit=us' 'a 1.5' 'b 18446744073709.000001' >us
	run -0 --separate-stderr foldexport --to csv us
	[[ $output == *$'"a",1.5\n"b",18446744073709.000001' && -z $stderr ]]
	run -0 --separate-stderr stackcollapse-pprof --meta \
		<(foldexport -q --to pprof us)
	[[ $output == '#fold=1;counts=1;unit=ns;'* ]]
	[[ $output == *$'\na 1500\nb 18446744073709000' ]]
	run -1 --separate-stderr foldexport --strict --to pprof us
	[[ $stderr == *'1 count was rounded'* ]]
	echo 'a 9007199254740993' >large
	run -0 --separate-stderr foldexport --to d3 large
	[[ $output == *':9007199254740993'* ]]
	[[ $stderr == *'2 large numbers are exact'* ]]
	run -1 foldexport -q --strict --to firefox large
	echo 'a 9007199254740992' | foldexport --strict --to d3 >/dev/null
	echo 'a 9223372036854775808' >large
	run -2 --separate-stderr foldexport --to pprof large
	[[ $stderr == *'too large'* ]]
	foldexport --to csv large | grep -qx '"a",9223372036854775808'
	printf '%s\n' 'a 18446744073709551615' 'b 1' >large
	run -2 foldexport --to csv large
}

@test "an empty profile is one in every format" {
	need python3
	foldexport --list | while read -r format _; do
		run -0 --separate-stderr foldexport --to "$format" /dev/null
		[ -n "$output" ]
		[ -z "$stderr" ]
		[ "$format" = pprof ] || [ -z "$(unexport "$format" /dev/null)" ]
	done
	run -0 --separate-stderr stackcollapse-pprof \
		<(foldexport --to pprof /dev/null)
	[ -z "$output" ]
}

# What "go tool pprof -traces" prints: a count and the leaf, then its callers.
traces() {
	HOME=$BATS_TEST_TMPDIR go tool pprof -traces "$@" 2>/dev/null | awk '
	function flush() {
		if (count != "")
			print stack " " count
		count = ""
	}
	/^-+\+-+$/ { flush(); begun = 1; next }
	!begun { next }
	{
		name = $0
		sub(/^ *([0-9]+(ns)?)? +/, "", name)
		inlined = sub(/ \(inline\)$/, "", name)
		name = name (inlined ? "_[i]" : "")
		stack = count == "" ? name : name ";" stack
	}
	count == "" { count = $1 }
	END { flush() }'
}

@test "go tool pprof shows the profile" {
	need go
	HOME=$PWD go tool -n pprof >/dev/null 2>&1 || skip "go has no pprof"
	foldexport --to pprof --title prog profile >out
	# It has no suffixes but for inlined functions.
	traces out | foldmerge |
		diff <(sed 's/_\[[^i]\]//g' merged | foldmerge) -
	run -0 env HOME="$PWD" go tool pprof -top out
	[[ $output == *'File: prog'*'Type: samples'* ]]
	foldexport --to pprof two >out
	traces -sample_index=before out |
		diff - <(printf '%s\n' 'a;b 10ns' 'a;c 0' 'a;d_[i] 7ns')
	hostile >profile
	foldexport -q --to pprof profile >out
	run -0 env HOME="$PWD" go tool pprof -raw out
	[[ $output == *'bad \xff\xc0\x80 utf8'* ]]
}

# The lines of functions: cost and name.
annotated() {
	callgrind_annotate --threshold=100 "$@" |
		sed -n 's/^ *\([0-9,]*\) (.*???:\(.*\) \[.*\]$/\2 \1/p' |
		tr -d , | LC_ALL=C sort
}

@test "callgrind_annotate shows what functions cost, and with their calls" {
	need callgrind_annotate
	foldexport --to callgrind profile >out
	annotated out | sed "s/'2 / /" | foldmerge |
		diff <(sed 's/.*;//' merged | foldmerge) -
	# Inclusive costs are more than all: let them not be cut there.
	sed -i '/^summary/d' out
	annotated --inclusive=yes out >all
	for line in 'comm 38' 'a 24' 'b 14' 'b_[j] 9' 'z 14' "a'2 10"; do
		grep -qxF "$line" all
	done
}
