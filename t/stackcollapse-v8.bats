#!/usr/bin/env bats
# stackcollapse-v8.bats - V8's .cpuprofile, .heapprofile and --prof logs.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "log: a tick after others that were lost is whole, and they are said" {
	cat >log <<-'END'
	v8-version,11
	code-creation,JS,13,1,0x1000,100,f a.js:1:1,0x10,*
	code-creation,JS,13,1,0x2000,100,main a.js:2:1,0x20,~
	tick,0x1010,5,0,0x0,0,0x2010
	tick,0x1010,6,0,0x0,0,overflow,0x2010
	END
	run -0 --separate-stderr stackcollapse-v8 --meta log
	[ "${lines[1]}" = "main a.js:2:1;f a.js:1:1 2" ]
	[[ ${lines[0]} != *broken* ]]
	[[ $stderr == *"V8 lost ticks before 1 tick"* ]]
	run -0 --separate-stderr stackcollapse-v8 -q log
	[ -z "$stderr" ]
}

@test "v8: code without a file has one name in profiles and logs" {
	cat >log <<-'END'
	v8-version,11
	code-creation,Eval,13,1,0x1000,100, :1:1,0x10,~
	code-creation,JS,13,1,0x2000,100,f :2:3,0x20,~
	code-creation,JS,13,1,0x3000,100,g /a b.js:2:3,0x20,~
	tick,0x1010,5,0,0x0,0,0x2010,0x3010
	END
	cat >p <<-'END'
	{"nodes":[{"id":1,"children":[2],"callFrame":{"functionName":"g",
	"url":"/a b.js","lineNumber":1,"columnNumber":2}},{"id":2,
	"children":[3],"callFrame":{"functionName":"f","url":"",
	"lineNumber":1,"columnNumber":2}},{"id":3,"callFrame":{"functionName":"",
	"url":"","lineNumber":0,"columnNumber":0}}],"samples":[3]}
	END
	run -0 stackcollapse-v8 log
	[ "$output" = 'g /a b.js:2:3;f:2:3;(anonymous):1:1 1' ]
	[ "$(stackcollapse-v8 p)" = "$output" ]
}

@test "v8: --drop-idle leaves out (idle) and (program)" {
	echo '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},
		"children":[2,3,4]},{"id":2,"callFrame":{"functionName":"(idle)"}},
		{"id":3,"callFrame":{"functionName":"(program)"}},
		{"id":4,"callFrame":{"functionName":"f"}}],
		"samples":[2,3,4,4]}' >p
	run -0 --separate-stderr stackcollapse-v8 --drop-idle p
	[ "$output" = '(root);f 2' ]
	[[ $stderr == *"dropped 2 of 4 samples, which are of idle threads"* ]]
}

# log_of NAME...: a log with a tick in each piece of code, named so.
log_of() {
	local i=1 name

	echo v8-version,11,3
	for name in "$@"; do
		printf 'code-creation,JS,10,1,0x%d000,64,%s\n' $i "$name"
		printf 'tick,0x%d010,5,0,0x0,0\n' $i
		i=$((i + 1))
	done
}

# V8 writes units of UTF-16, and of strings with none above 0xff one byte each.
@test "log: letters that are no ASCII" {
	log_of 'a /\u043f\u0440/\u0444.js,0x10,*' 'b /\xe9t\xe9.js,0x20,*' \
		'c /\u0444\xe9\x2C\\u0444.js,0x30,*' 'été /d.js,0x40,*' \
		'e /\ud83d\ude00.js,0x50,*' 'f /\ud83d\u0444\ude00.js,0x60,*' \
		'g /\u04zz\u043,0x70,*' >log
	run -0 --separate-stderr stackcollapse-v8 log
	[ "$output" = 'a /пр/ф.js 1
b /été.js 1
c /фé,\u0444.js 1
e /😀.js 1
f /�ф�.js 1
g /u04zzu043 1
été /d.js 1' ]
}

@test "log: the path of a library is bytes" {
	cat >log <<-'END'
	v8-version,11,3
	shared-library,/lib/\xd0\xbf\xd1\x80.so,0x1000,0x2000,0
	shared-library,/lib/\xe9.so,0x2000,0x3000,0
	tick,0x1010,5,0,0x0,0
	tick,0x2010,5,0,0x0,0
	END
	run -0 --separate-stderr stackcollapse-v8 log
	[ "$output" = "[é.so] 1
[пр.so] 1" ]
}

# Such a function is interpreted and never optimised, or of WebAssembly.
@test "log: with --jit, code without a mark; and what was entered as it ran" {
	log_of 'f /a.js:1:1,0x10,' 'g /a.js:2:1,0x20,o*' \
		'h /a.js:3:1,0x30,o+' 'wasm-function[0],0x40,' \
		'add-liftoff,0x50,' 'wasm-function[1],0x60,*' >log
	run -0 --separate-stderr stackcollapse-v8 --jit log
	[ "$output" = "add-liftoff_[1] 1
f /a.js:1:1_[0] 1
g /a.js:2:1_[j] 1
h /a.js:3:1_[1] 1
wasm-function[0]_[1] 1
wasm-function[1]_[j] 1" ]
	run -0 --separate-stderr stackcollapse-v8 --tiers log
	[[ $output == *"o*g "*"o+h "* && $output != *_\[* ]]
}

@test ".cpuprofile: a time behind the last sample's is its end" {
	cat >p <<-'END'
	{"nodes":[{"id":1,"callFrame":{"functionName":"a"}},
	{"id":2,"callFrame":{"functionName":"b"}}],
	"samples":[1,2],"timeDeltas":[10,20,30]}
	END
	run -0 --separate-stderr stackcollapse-v8 p
	[ "$output" = "a 20
b 30" ]
	[[ $stderr == *"3 times of 2 samples"* ]]
	run -0 --separate-stderr stackcollapse-v8 --count samples p
	[ "$output" = "a 1
b 1" ]
}

@test ".cpuprofile: nodes that lead into a ring, and those that do not" {
	cat >p <<-'END'
	{"nodes":[{"id":1,"callFrame":{"functionName":"a"},"children":[2]},
	{"id":2,"callFrame":{"functionName":"b"}},
	{"id":3,"callFrame":{"functionName":"r"},"children":[4,6]},
	{"id":4,"callFrame":{"functionName":"r"},"children":[5]},
	{"id":5,"callFrame":{"functionName":"r"},"children":[3]},
	{"id":6,"callFrame":{"functionName":"r"},"children":[7]},
	{"id":7,"callFrame":{"functionName":"r"}},
	{"id":8,"callFrame":{"functionName":"r"},"children":[8,9]},
	{"id":9,"callFrame":{"functionName":"r"}}],
	"samples":[7,9,2,3,4,5,6,7,8,9,2],
	"timeDeltas":[1,1,1,1,1,1,1,1,1,1,1],"startTime":1,"endTime":13}
	END
	run -0 --separate-stderr stackcollapse-v8 p
	[ "$output" = "a;b 2" ]
	[[ $stderr == *"7 samples skipped"* ]]
	run -0 --separate-stderr stackcollapse-v8 --samples p
	[[ $stderr == *"9 samples skipped"* ]]
}

@test ".heapprofile: the bytes of each function" {
	cat >p <<-'END'
	{"head":{"callFrame":{"functionName":"(root)","scriptId":"0","url":"",
	"lineNumber":-1,"columnNumber":-1},"selfSize":0,"id":1,"children":[
	{"callFrame":{"functionName":"f","url":"/a.js","lineNumber":2,
	"columnNumber":4},"selfSize":24,"id":5,"children":[
	{"callFrame":{"functionName":"","url":"/a.js","lineNumber":0,
	"columnNumber":0},"selfSize":100,"id":9,"children":[]}]},
	{"children":[{"selfSize":7,"callFrame":{"functionName":"h"}}],"id":3,
	"selfSize":16,"callFrame":{"functionName":"g"}}]},
	"samples":[{"size":50,"nodeId":9,"ordinal":1},
	{"size":50,"nodeId":9,"ordinal":2},{"size":24,"nodeId":5,"ordinal":3},
	{"size":16,"nodeId":3},{"size":16,"nodeId":4},{}]}
	END
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-v8 ]
	run -0 --separate-stderr stackcollapse-v8 --strict --meta p
	[ "$output" = "#fold=1;counts=1;unit=bytes;n=5
(root);f /a.js:3:5 24
(root);f /a.js:3:5;(anonymous) /a.js:1:1 100
(root);g 16
(root);g;h 7" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-v8 --count samples p
	[ "${lines[1]}" = "(root);f /a.js:3:5;(anonymous) /a.js:1:1 2" ]
}

@test ".heapprofile: cut short, broken, empty, and deeper than a stack" {
	local frame='"callFrame":{"functionName":"f"}'

	echo '{"head":{'"$frame"',"selfSize":0,"children":[]},"samples":[]}' >p
	run -0 --separate-stderr stackcollapse-v8 --strict p
	[ "$output$stderr" = "" ]
	echo '{"head":{'"$frame"',"selfSize":5,"children":[{"selfSize":3},7,
		{'"$frame"',"selfSize":-3},{'"$frame"',"selfSi' >p
	run -1 --separate-stderr stackcollapse-v8 --strict p
	[ "$output" = "f 5" ]
	[[ $stderr == *"the JSON is truncated"* ]]
	awk -v frame="$frame" 'BEGIN {
		printf "{\"head\":"
		for (i = 0; i < 20000; i++)
			printf "{%s,\"selfSize\":0,\"children\":[", frame
		printf "{%s,\"selfSize\":8}", frame
		for (i = 0; i < 20000; i++)
			printf "]}"
		printf "}"
	}' >p
	run -0 --separate-stderr stackcollapse-v8 --strict p
	[[ "$output" == *";f;f 8" && ${#output} -eq 40003 ]]
	run -2 stackcollapse-v8 - <<<'{"head":{"functionName":"f"}}'
	run -2 stackcollapse-v8 - <<<'{"head":7}'
}

# What comes behind the cut is not the last sample's that was read.
@test ".cpuprofile: cut short in its times" {
	printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"a"}},' \
		'{"id":2,"callFrame":{"functionName":"b"}}],"startTime":100,' \
		'"endTime":9000,"samples":[1,2,1,2,2],"timeDeltas":[5,10,20,' >p
	run -0 --separate-stderr stackcollapse-v8 p
	[ "$output" = "a 10
b 20" ]
	[[ $stderr == *"3 times of 5 samples"* ]]
}

@test "v8: each trace gives its stacks" {
	golden v8
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
	[[ $stderr == *"a node is its own child"* ]]
}

@test "v8: the last line that a number can have has one behind it" {
	echo '{"nodes":[{"id":1,"callFrame":{"functionName":"f",
		"lineNumber":9223372036854775807}}],"samples":[1]}' >p
	run -0 --separate-stderr stackcollapse-v8 p
	[ "$output" = "f:9223372036854775808 1" ]
}

# V8 takes samples in two threads: they come out of order by a little.
@test "v8: samples last until the next one in time, whatever their order" {
	echo '{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},
		{"id":2,"callFrame":{"functionName":"g"}}],"samples":[1,2,1],
		"timeDeltas":[0,10,-5],"startTime":100,"endTime":120}' >p
	run -0 --separate-stderr stackcollapse-v8 --strict p
	[ "$output" = "f 10
g 10" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-v8 --samples p
	[ "${lines[*]:1}" = "#time=0.000100000 f 5 #time=0.000105000 f 5 \
#time=0.000110000 g 10" ]
}
