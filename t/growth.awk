# growth.awk - inputs of bad shapes for t/growth: -v shape=NAME -v n=LINES.

function frames(first, count, separator, i, s) {
	for (i = first; i < first + count; i++)
		s = s (i > first ? separator : "") "f" i
	return s
}

function perf_sample(comm, tid, time, stack, i, part, parts) {
	printf "%s %d %d.%06d: 10101010 cpu-clock:\n", comm, tid,
		time / 1000, time % 1000
	parts = split(stack, part, ";")
	for (i = parts; i > 0; i--)
		printf "\t%x %s+0x10 (/usr/bin/prog)\n", 4194304 + i * 64,
			part[i]
	print ""
}

function folded(i) {
	if (shape == "repeated")
		print "main;work;leaf " i + 1
	else if (shape == "distinct")
		print "main;f" i ";g" i ";leaf 1"
	else if (shape == "wide")
		print "main;f" i " 1"
	else if (shape == "sorted")
		printf "main;f%08d;leaf 1\n", i
	else if (shape == "reverse")
		printf "main;f%08d;leaf 1\n", n - i
	else if (shape == "alternating")
		print "main;" (i % 2 ? "a" : "b") ";f" int(i / 2) " 1"
	else if (shape == "names")
		printf "main;%064d;leaf 1\n", i
}

# All frames are in a few lines: a stack of n frames, and its half.
function deep() {
	print frames(0, n, ";") " 1"
	print frames(0, int(n / 2), ";") " 1"
}

# Each stack shares another part of one deep stack.
function prefixes(i, s) {
	for (i = 0; i < 100; i++)
		s = s "frame" i ";"
	for (i = 0; i < n; i++)
		print substr(s, 1, index(s, "frame" (i % 99 + 1) ";") - 1) \
			"f" i " 1"
}

function perf(i) {
	for (i = 0; i < n / 8; i++) {
		if (shape == "perf-equal")
			perf_sample("prog", 1, i, "main;a;b;c;d")
		else if (shape == "perf-distinct")
			perf_sample("prog", 1, i, "main;f" i ";b;c;g" i)
		else if (shape == "perf-threads")
			perf_sample("t" i, i + 1, i, "main;a;b;c;d")
		else if (shape == "perf-names")
			perf_sample("prog", 1, i, sprintf("main;%064d", i))
	}
}

function gdb(i) {
	for (i = 0; i < n / 4; i++) {
		printf "Thread %d (LWP %d):\n", i + 1, i + 1
		printf "#0  0x0000000000000001 in f%d ()\n", i
		printf "#1  0x0000000000000002 in main ()\n\n"
	}
}

function gdb_deep(i) {
	print "Thread 1 (LWP 1):"
	for (i = 0; i < n; i++)
		printf "#%d  0x0000000000000001 in f%d ()\n", i, i
	print ""
}

function jstack(i) {
	print "Full thread dump"
	for (i = 0; i < n / 5; i++) {
		printf "\n\"t%d\" #%d prio=5 tid=0x1 nid=0x1 runnable\n", i, i
		print "   java.lang.Thread.State: RUNNABLE"
		printf "\tat a.B.f%d(B.java:1)\n\tat a.B.main(B.java:2)\n", i
	}
}

# Nested calls begin at once, since folded text has a line for each depth that
# has time of its own.
function chrome(nested, i) {
	printf "["
	for (i = 0; i < n / 2; i++) {
		printf "%s{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":%d,\"name\":\"f%d\"}",
			i ? ",\n" : "", nested ? 0 : i * 2, i
		if (!nested)
			printf ",\n{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":%d}",
				i * 2 + 1
	}
	for (i = 0; nested && i < n / 2; i++)
		printf ",\n{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":%d}", 1
	print "]"
}

function speedscope(i) {
	printf "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	printf "\"shared\":{\"frames\":["
	for (i = 0; i < n; i++)
		printf "%s{\"name\":\"f%d\"}", i ? "," : "", i
	printf "]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"none\","
	printf "\"startValue\":0,\"endValue\":%d,\"samples\":[", n
	for (i = 0; i < n; i++)
		printf "%s[0,%d]", i ? "," : "", i
	printf "],\"weights\":["
	for (i = 0; i < n; i++)
		printf "%s1", i ? "," : ""
	print "]}]}"
}

# Of V8: each node has the next as its child, or all are of the first one.
function cpuprofile(nested, i, k) {
	printf "{\"nodes\":["
	for (i = 1; i <= n; i++) {
		printf "%s{\"id\":%d,\"callFrame\":{\"functionName\":\"f%d\",", (i > 1 ? ",\n" : ""), i, i
		printf "\"scriptId\":\"1\",\"url\":\"\",\"lineNumber\":1,\"columnNumber\":1},\"children\":["
		for (k = i + 1; k <= (nested ? i + 1 : i == 1 ? n : 0) && k <= n; k++)
			printf "%s%d", (k > i + 1 ? "," : ""), k
		printf "]}"
	}
	printf "],\"startTime\":0,\"endTime\":%d,\"samples\":[", n
	for (i = 1; i <= n; i++)
		printf "%s%d", (i > 1 ? "," : ""), nested ? n : i
	printf "],\"timeDeltas\":["
	for (i = 1; i <= n; i++)
		printf "%s1", (i > 1 ? "," : "")
	print "]}"
}

function stackprof(i) {
	printf "{\"version\":1.2,\"mode\":\"cpu\",\"interval\":1000,\"frames\":{"
	for (i = 1; i <= n; i++)
		printf "%s\"%d\":{\"name\":\"f%d\",\"file\":\"a.rb\",\"line\":1}", (i > 1 ? ",\n" : ""), i, i
	printf "},\"raw\":["
	for (i = 1; i <= n; i++)
		printf "%s2,1,%d,1", (i > 1 ? "," : ""), i
	print "]}"
}

# Calls of one function, each with two samples; the stacks are different.
function calls(i) {
	print "#fold=1;counts=1;clock=perf"
	for (i = 0; i < n / 4; i++) {
		printf "#time=%d.000000000;pid=1;tid=%d;event=app:f\nm;f 1\n", 4 * i, i % 7
		printf "#time=%d.000000000;pid=1;tid=%d;event=cpu-clock\nm;f;g%d 1\n", 4 * i + 1, i % 7, i
		printf "#time=%d.000000000;pid=1;tid=%d;event=app:f__return\nm 1\n", 4 * i + 2 + i % 3, i % 7
	}
}

function callgrind(i) {
	print "# callgrind format\nevents: Ir\n"
	for (i = 0; i < n / 4; i++)
		printf "fn=f%d\n1 1\ncfn=f%d\ncalls=1 1\n1 1\n", i, i + 1
	printf "fn=f%d\n1 1\n", i
}

function austin(i) {
	for (i = 0; i < n; i++)
		printf "P1;T1;a.py:main:1;a.py:f%d:2 %d\n", i, i + 1
}

# The allocations of V8: each node has the next as its child, or all are of the
# first one.  Only leaves have a size: folded text has a line for each that has.
function heap_node(id, size) {
	printf "{\"callFrame\":{\"functionName\":\"f%d\",\"scriptId\":\"1\",\"url\":\"\",", shape == "heap-equal" ? 0 : id
	printf "\"lineNumber\":1,\"columnNumber\":1},\"selfSize\":%d,\"id\":%d,\"children\":[", size, id
}

function heap(nested, i, id) {
	printf "{\"head\":"
	heap_node(0, 0)
	for (i = 1; i <= n; i++) {
		id = shape == "heap-reverse" ? n + 1 - i : i
		printf "%s", (!nested && i > 1 ? ",\n" : "")
		heap_node(id, nested && i < n ? 0 : 8)
		printf "%s", nested ? "" : "]}"
	}
	for (i = 0; nested && i < n; i++)
		printf "]}\n"
	printf "]},\"samples\":["
	for (i = 1; i <= n; i++)
		printf "%s{\"size\":8,\"nodeId\":%d,\"ordinal\":%d}\n", (i > 1 ? "," : ""), shape == "heap-reverse" ? n + 1 - i : i, i
	print "]}"
}

# A row of a report of GHC has a blank for each caller: calls have a depth of
# at most 50.
function ghc_report(deep, i) {
	print "COST CENTRE MODULE SRC no. entries %time %alloc %time %alloc ticks bytes"
	print "MAIN MAIN <built-in> 1 0 0.0 0.0 100.0 100.0 0 8"
	for (i = 0; i < n; i++)
		printf "%*sf%d Main a.hs:1:1 %d 1 0.0 0.0 0.0 0.0 1 8\n", deep ? i % 50 + 1 : 1, "", shape == "ghc-report-equal" ? 1 : shape == "ghc-report-reverse" ? n - i : i, i
}

function ghc_json(nested, i, id) {
	printf "{\"tick_interval\":1000,\"cost_centres\":["
	for (i = 0; i < n; i++) {
		id = shape == "ghc-json-reverse" ? n - 1 - i : i
		printf "%s{\"id\":%d,\"label\":\"f%d\",\"module\":\"Main\",\"src_loc\":\"a.hs:1:1\",\"is_caf\":false}", (i ? ",\n" : ""), id, id
	}
	printf "],\n\"profile\":{\"id\":0,\"ticks\":0,\"alloc\":0,\"children\":["
	for (i = 0; i < n; i++) {
		printf "%s{\"id\":%d,\"ticks\":%d,\"alloc\":8,\"children\":[", (nested || i == 0 ? "" : ",\n"), shape == "ghc-json-equal" ? 0 : i, !nested || i == n - 1
		printf "%s", nested ? "" : "]}"
	}
	for (i = 0; nested && i < n; i++)
		printf "]}\n"
	print "]}}"
}

# Addresses without names, and the map that names them: one function each, all
# at one place, each inside of the one before, or one that is long and many in
# it.
function jitsym_map(i) {
	for (i = 0; i < n; i++) {
		if (shape == "jitsym-equal-map")
			printf "10000 100 f%d\n", i
		else if (shape == "jitsym-nested-map")
			printf "%x %x f%d\n", 65536 + 16 * i, 32 * (n - i), i
		else if (shape == "jitsym-covered-map")
			printf "%x %x f%d\n", i ? 65536 + 16 * i : 65536, i ? 8 : 32 * n, i
		else if (shape == "jitsym-reverse-map")
			printf "%x 10 f%d\n", 65536 + 16 * (n - i), i
		else
			printf "%x 10 f%d\n", 65536 + 16 * i, i
	}
}

function jitsym(i) {
	if (shape == "jitsym-deep") {
		for (i = 0; i < n; i++)
			printf "%s[perf-7.map <%x>]", i ? ";" : "", 65540 + 16 * i
		print " 1"
	}
	for (i = 0; i < n && shape != "jitsym-deep"; i++)
		printf "main;[perf-7.map <%x>] 1\n", 65540 + (shape == "jitsym-equal" ? 0 : 16 * i)
}

BEGIN {
	if (shape == "deep")
		deep()
	else if (shape == "prefixes")
		prefixes()
	else if (shape == "perf-deep") {
		perf_sample("prog", 1, 1, frames(0, n, ";"))
		perf_sample("prog", 1, 2, frames(0, n, ";"))
	} else if (shape ~ /^perf-/)
		perf()
	else if (shape == "gdb")
		gdb()
	else if (shape == "gdb-deep")
		gdb_deep()
	else if (shape == "jstack")
		jstack()
	else if (shape ~ /^chrome/)
		chrome(shape == "chrome-deep")
	else if (shape == "speedscope")
		speedscope()
	else if (shape == "callgrind")
		callgrind()
	else if (shape ~ /^cpuprofile/)
		cpuprofile(shape == "cpuprofile-deep")
	else if (shape == "stackprof")
		stackprof()
	else if (shape == "calls")
		calls()
	else if (shape == "austin")
		austin()
	else if (shape ~ /^heap/)
		heap(shape == "heap-deep")
	else if (shape ~ /^ghc-report/)
		ghc_report(shape == "ghc-report-deep")
	else if (shape ~ /^ghc-json/)
		ghc_json(shape == "ghc-json-deep")
	else if (shape ~ /^jitsym-.*-map$/)
		jitsym_map()
	else if (shape ~ /^jitsym/)
		jitsym()
	else
		for (j = 0; j < n; j++)
			folded(j)
}
