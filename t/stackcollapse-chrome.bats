#!/usr/bin/env bats
# stackcollapse-chrome.bats - traces of Chrome and others in the Trace Event Format.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "the sums that clang adds of each kind of event are left out" {
	cat >p <<-'END'
	{"traceEvents":[
	{"pid":7,"tid":7,"ph":"X","ts":10,"dur":20,"name":"Frontend"},
	{"pid":7,"tid":7,"ph":"X","ts":40,"dur":5,"name":"Frontend"},
	{"pid":7,"tid":7,"ph":"X","ts":0,"dur":50,"name":"ExecuteCompiler"},
	{"pid":7,"tid":8,"ph":"X","ts":0,"dur":50,
	"name":"Total ExecuteCompiler","args":{"count":1,"avg ms":0}},
	{"pid":7,"tid":9,"ph":"X","ts":0,"dur":25,
	"name":"Total Frontend","args":{"count":2,"avg ms":0}},
	{"pid":7,"tid":7,"ph":"X","ts":60,"dur":1,"name":"Total recall",
	"args":{"detail":"no sum"}}]}
	END
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "ExecuteCompiler 25
ExecuteCompiler;Frontend 25
Total recall 1" ]
	[ -z "$stderr" ]
}

@test "a number in quotes is the same id as without" {
	cat >p <<-'END'
	[{"ph":"B","name":"a","pid":1,"tid":"7","ts":0},
	{"ph":"X","name":"b","pid":"1","tid":7,"ts":2,"dur":3},
	{"ph":"E","pid":1,"tid":7,"ts":10}]
	END
	run -0 --separate-stderr stackcollapse-chrome --root pid,tid p
	[ "$output" = "pid-1;tid-7;a 7
pid-1;tid-7;a;b 3" ]
	[ -z "$stderr" ]
}

# Of an end no more is needed than its thread and its time.
@test "--category: an end without a category is that of the last begin" {
	cat >p <<-'END'
	[{"name":"a","cat":"foo","ph":"B","ts":0,"pid":1,"tid":1},
	{"name":"b","cat":"foo,bar","ph":"B","ts":10,"pid":1,"tid":1},
	{"ph":"E","ts":20,"pid":1,"tid":1},
	{"name":"x","cat":"bar","ph":"B","ts":20,"pid":1,"tid":1},
	{"name":"y","cat":"foo","ph":"X","ts":22,"dur":3,"pid":1,"tid":1},
	{"ph":"E","ts":30,"pid":1,"tid":1},
	{"cat":"foo","ph":"E","ts":40,"pid":1,"tid":1},
	{"name":"c","cat":"foo","ph":"X","ts":100,"dur":5,"pid":1,"tid":1},
	{"name":"z","cat":"bar","ph":"B","ts":100,"pid":1,"tid":1}]
	END
	run -0 --separate-stderr stackcollapse-chrome --category foo p
	[ "$output" = "a 27
a;b 10
a;y 3
c 5" ]
	[ -z "$stderr" ]
	run -0 --separate-stderr stackcollapse-chrome --category bar p
	[ "$output" = "b 10
x 10
z 5" ]
}

@test "of events with the same time the outer one is written last, or first" {
	cat >p <<-'END'
	[{"pid":1,"tid":1,"ph":"X","ts":100,"dur":0,"name":"nothing"},
	{"pid":1,"tid":1,"ph":"X","ts":100,"dur":700,"name":"inner"},
	{"pid":1,"tid":1,"ph":"X","ts":100,"dur":700,"name":"outer"},
	{"pid":1,"tid":1,"ph":"X","ts":0,"dur":1000,"name":"all"},
	{"pid":1,"tid":2,"ph":"X","ts":0,"dur":1000,"name":"all"},
	{"pid":1,"tid":2,"ph":"X","ts":100,"dur":700,"name":"outer"},
	{"pid":1,"tid":2,"ph":"X","ts":100,"dur":700,"name":"inner"}]
	END
	run -0 --separate-stderr stackcollapse-chrome --root none p
	[[ $output == *"all;outer;inner 1400"* && $output != *"inner;outer"* ]]
	[ -z "$stderr" ]
}

@test "an event with no time of its own is no stack" {
	cat >p <<-'END'
	[{"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":10},
	{"name":"b","ph":"X","pid":1,"tid":1,"ts":0,"dur":10},
	{"name":"c","ph":"X","pid":1,"tid":1,"ts":5,"dur":0}]
	END
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "a;b 10" ]
	run -0 --separate-stderr stackcollapse-chrome --count time p
	[ "$output" = "a;b 10000" ]
}

# As Hermes writes them, with numbers in quotes, and the frames last.
@test "samples with stacks, where no event has a time" {
	cat >p <<-'END'
	{"traceEvents":[{"pid":0,"tid":0,"ph":"M","name":"process_name",
	"args":{"name":"app"},"cat":"","ts":"0"}],
	"samples":[{"name":"","ts":"100","pid":0,"tid":"1","weight":"1","sf":2},
	{"name":"","ts":"200","pid":0,"tid":"1","weight":"1","sf":2},
	{"name":"","ts":"300","pid":0,"tid":"2","weight":"5","sf":"1"},
	{"name":"","ts":"400","pid":0,"tid":"1","sf":3}],
	"stackFrames":{"2":{"name":"f(a.js:1:2)","parent":1},
	"1":{"name":"[root]","category":"root"},
	"3":{"category":"JavaScript","parent":"1"}}}
	END
	run -0 --separate-stderr stackcollapse-chrome --root comm,tid p
	[ "$output" = "app;tid-1;[root];[unknown] 1
app;tid-1;[root];f(a.js:1:2) 2
app;tid-2;[root] 5" ]
	run -0 --separate-stderr stackcollapse-chrome --count samples p
	[ "${lines[0]}" = "app;[root] 1" ]
}

@test "samples of one event are counted, as of all traces" {
	cat >p <<-'END'
	{"samples":[{"name":"cycles","tid":1,"sf":1,"weight":7},
	{"name":"faults","tid":1,"sf":1,"weight":1}],
	"stackFrames":{"1":{"name":"f"}},"traceEvents":[]}
	END
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "f 7" ]
	run -0 stackcollapse-chrome --event-filter faults p
	[ "$output" = "f 1" ]
}

@test "samples without a stack or a weight, and stacks without a root" {
	cat >p <<-'END'
	{"samples":[{"sf":1},{"sf":2},{"sf":4},{"sf":5},{},{"sf":1,"weight":-1},
	{"sf":1,"weight":"x","tid":3},7,{"sf":1}],
	"stackFrames":{"1":{"name":"f"},"2":{"parent":3},"3":{"parent":2},
	"4":{"parent":2},"5":{"parent":6}},"traceEvents":[]}
	END
	run -1 --separate-stderr stackcollapse-chrome --strict p
	[ "$output" = "f 2" ]
	[[ $stderr == *"7 events skipped"* ]]
}

@test "samples beside events with times are left out, and said" {
	cat >p <<-'END'
	{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":9}],
	"samples":[{"sf":1}],"stackFrames":{"1":{"name":"f"}}}
	END
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "a 9" ]
	[[ $stderr == *"skipping samples"* ]]
	sed 's/{"sf":1}//' p >none
	run -0 --separate-stderr stackcollapse-chrome none
	[ "$output$stderr" = "a 9" ]
}

@test "samples of threads that no event is of, above the events" {
	cat >p <<-'END'
	{"samples":[{"pid":1,"tid":1,"sf":1},{"pid":2,"tid":2,"sf":1}],
	"stackFrames":{"1":{"name":"f"}},
	"traceEvents":[{"ph":"X","name":"a","pid":3,"tid":3,"ts":0,"dur":9},
	{"ph":"X","name":"b","pid":2,"tid":2,"ts":0,"dur":5}]}
	END
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "a 9
b 5" ]
}

# refused MESSAGE <INPUT: nothing is understood, as the message says.
refused() {
	cat >bad
	run -2 --separate-stderr stackcollapse-chrome bad
	[[ $stderr == *"$1"* ]] || {
		echo "# $stderr"
		return 1
	}
}

@test "what has no trace events is status 2; no events are an empty profile" {
	refused "the file has no trace events" <<<'{"foo":1}'
	refused "the file has no trace events" <<<'{"traceEvents":1}'
	refused "an event is not an object" <<<'[1,2,3]'
	refused "not trace events in JSON" <<<'"foo"'
	refused "no event has both begin and end" <<<'[{"ph":"C","ts":1}]'
	echo '[]' >none
	echo '{"traceEvents":[{"ph":"M","name":"thread_name"}]}' >named
	run -0 --separate-stderr stackcollapse-chrome --strict none named
	[ "$output$stderr" = "" ]
}

# A page's thread, and a worker's, which another thread of V8 samples.
profiled() {
	cat <<-'END'
	{"traceEvents":[
	{"args":{"data":{"startTime":1000}},"cat":"v8","id":"0x1","name":"Profile",
	"ph":"P","pid":7,"tid":7,"ts":1001},
	{"args":{"data":{"cpuProfile":{"nodes":[
	{"callFrame":{"codeType":"other","functionName":"(root)","scriptId":0},"id":1},
	{"callFrame":{"columnNumber":12,"functionName":"f","lineNumber":1,
	"url":"http://a/p.js"},"id":2,"parent":1},
	{"callFrame":{"functionName":"","url":"http://a/p.js"},"id":3,"parent":2}],
	"samples":[2,3,2]},"lines":[2,2,2],"timeDeltas":[10,20,-5]}},
	"id":"0x1","name":"ProfileChunk","ph":"P","pid":7,"tid":9,"ts":1100},
	{"name":"Profile","ph":"P","id":"0x2","pid":7,"tid":8,"ts":1050,
	"args":{"data":{"startTime":1050}}},
	{"name":"ProfileChunk","ph":"P","id":"0x2","pid":7,"tid":10,"ts":1200,
	"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":
	{"functionName":"(root)"}},{"id":2,"parent":1,"callFrame":
	{"functionName":"(idle)"}}],"samples":[2]},"timeDeltas":[1]}}},
	{"args":{"data":{"cpuProfile":{"samples":[3]},"timeDeltas":[15]}},
	"id":"0x1","name":"ProfileChunk","ph":"P","pid":7,"tid":9,"ts":1300},
	{"args":{"data":{"endTime":1100}},
	"id":"0x1","name":"ProfileChunk","ph":"P","pid":7,"tid":7,"ts":1400},
	{"args":{"data":{"endTime":1060}},
	"id":"0x2","name":"ProfileChunk","ph":"P","pid":7,"tid":8,"ts":1401},
	{"args":{"name":"Renderer"},"name":"process_name","ph":"M","pid":7,"tid":0},
	END
}

# Times are 10, 30, 25 and 40, and the end is 100; of the worker 1 and 10.
@test "what V8 sampled, in chunks, is folded by --cpuprofile" {
	{
		profiled
		echo '{"ph":"X","name":"RunTask","pid":7,"tid":7,"ts":1,"dur":9}]}'
	} >p
	run -0 --separate-stderr stackcollapse-chrome --cpuprofile --strict p
	[ "$output" = "Renderer;(root);(idle) 9
Renderer;(root);f http://a/p.js:2:13 20
Renderer;(root);f http://a/p.js:2:13;(anonymous) http://a/p.js 70" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-chrome --cpuprofile --root tid p
	[[ "${lines[0]}" = "tid-7;"* && "${lines[2]}" = "tid-8;(root);(idle) 9" ]]
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "Renderer;RunTask 9" ]
	[[ $stderr == *"--cpuprofile folds them"* ]]
}

@test "what V8 sampled is folded if there is nothing else" {
	{
		profiled
		echo '{"ph":"I","name":"b","pid":7,"tid":7,"ts":1}]}'
	} >p
	run -0 --separate-stderr stackcollapse-chrome --strict --meta p
	[ "${lines[0]}" = "#fold=1;counts=1;unit=us;n=5" ]
	[ "${lines[1]}" = "Renderer;(root);(idle) 9" ]
	run -0 stackcollapse-chrome --count samples p
	[ "${lines[0]}" = "Renderer;(root);(idle) 1" ]
	run -2 --separate-stderr stackcollapse-chrome --cpuprofile - <<<'[]'
	[[ $stderr == *"the file has no V8 profile"* ]]
}

@test "chunks that are broken: no stack, no time, an end of what did not begin" {
	cat >p <<-'END'
	[{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"args":{"data":{
	"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},
	{"id":2,"parent":3,"callFrame":{"functionName":"g"}},{"id":3,"parent":2,
	"callFrame":{"functionName":"h"}},{"id":4,"parent":1},7],
	"samples":[1,2,4,9,1,1],"timeDeltas":[5,1,1,1,2]},"endTime":7}}},
	{"name":"ProfileChunk","ph":"P","args":{"data":[]}},
	{"name":"ProfileChunk","ph":"P","args":7},{"name":"Profile","ph":"P"},
	{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"args":{"data":{
	"cpuProfile":{"samples":[1]},"timeDeltas":[4]}}}]
	END
	run -1 --separate-stderr stackcollapse-chrome --strict p
	[ "$output" = "f 5" ]
	[[ $stderr == *"5 times of 6 samples"* ]]
	[[ $stderr == *"4 events skipped"* ]]
}

@test "chrome: each trace gives its stacks" {
	golden chrome
}

@test "chrome: a trace that was cut short is folded as far as it goes" {
	echo '[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},
		{"ph":"B","pid":1,"tid":1,"ts":2.5,"name":"b"},
		{"ph":"E","pid":1,"tid":1,"ts":4},' >p
	run -0 --separate-stderr stackcollapse-chrome p
	[ "$output" = "a 1.5
a;b 1.5" ]
	[[ $stderr == *"2 events skipped"* ]]
}

@test "chrome: threads that have words for ids are threads of their own" {
	echo '[{"ph":"X","name":"a","pid":1,"tid":"x","ts":0,"dur":10},
		{"ph":"X","name":"b","pid":1,"tid":"y","ts":2,"dur":20},
		{"ph":"M","name":"process_name","pid":"p",
			"args":{"name":"gpu"}},
		{"ph":"X","name":"c","pid":"p","tid":"y","ts":3,"dur":2}]' >p
	run -0 --separate-stderr stackcollapse-chrome --root comm p
	[ "$output" = "a 10
b 20
gpu;c 2" ]
	[ -z "$stderr" ]
}
