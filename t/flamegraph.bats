#!/usr/bin/env bats
# flamegraph.bats - what flamegraph(1) promises, as far as no browser is needed.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'main;parse;read_[k] 3' 'main;parse 1' 'main;sort 4' >in
}

# The titles of frames, in the order of drawing.
titles() {
	grep -o '<title>[^<]*' "$1" | sed 's/<title>//'
}

# The fill of the box of a frame.
fill() {
	grep -o "<title>$2 (.*" "$1" | grep -o 'fill="#[0-9a-f]*"' | head -n 1 |
		grep -o '#[0-9a-f]*'
}

well_formed() {
	xmllint --noout --nonet "$1"
}

@test "stacks become boxes with counts and shares" {
	flamegraph in >out.svg
	run -0 titles out.svg
	[ "$output" = 'all (8 samples, 100%)
main (8 samples, 100.00%)
parse (4 samples, 50.00%)
read (3 samples, 37.50%)
sort (4 samples, 50.00%)' ]
	well_formed out.svg
}

@test "standard input is read where there is no file, and for -" {
	flamegraph <in >a
	flamegraph - <in >b
	flamegraph in >c
	cmp a b
	cmp a c
}

@test "files are added up" {
	flamegraph in in >out.svg
	titles out.svg | grep -qx 'sort (8 samples, 50.00%)'
}

@test "a function on the same callers is one box" {
	printf '%s\n' 'm;b 1' 'm;b-x 5' 'm;b2 1' 'm;b;c 1' >in
	flamegraph in >out.svg
	[ "$(titles out.svg | grep -c '^b (')" -eq 1 ]
	titles out.svg | grep -qx 'b (2 samples, 25.00%)'
}

# tangle SEED STACKS NAMES: stacks that leave each other anywhere, in no order.
tangle() {
	awk -v x="$1" -v stacks="$2" -v names="$3" '
	function random(n) {
		x = x * 16807 % 2147483647
		return x % n
	}
	BEGIN {
		while (stacks-- > 0) {
			line = ""
			for (i = 1 + random(12); i > 0; i--)
				line = line sprintf("%c", 97 + random(names)) \
					(i > 1 ? ";" : "")
			print line, 1 + random(50)
		}
	}'
}

@test "the picture has each stack that was read, and no other" {
	local seed

	for seed in 1 2 3 4 5 6 7 8; do
		tangle "$seed" 500 $((seed % 4 + 1)) >tangled
		flamegraph tangled | unflame | grep -v '^#' >drawn
		foldmerge tangled | grep -v '^#' | diff - drawn
		flamegraph --flamechart tangled | unflame | grep -v '^#' |
			foldmerge - | diff - drawn
	done
}

@test "the order of the input does not change the drawing" {
	flamegraph --static in >a
	sort -r in | flamegraph --static >b
	cmp a b
}

# " " sorts before ";", so a function comes again after "a b" has come.
@test "a function has one frame below its caller, in whatever order lines come" {
	printf '%s\n' 'a 1' 'a b;x 1' 'a!;y 1' 'a;x 1' 'a;z;w 2' 'b;a;c 1' \
		'b;a c;d 1' 'b;a;d 2' 'b;a;e;f 1' 'b;c 1' >lines
	sort lines >sorted
	sort -r lines >reversed
	{ sed -n 6,10p lines && sed -n 1,5p lines && cat lines; } >twice
	cat lines sorted reversed >thrice
	flamegraph --minwidth 0 sorted >out.svg
	run -0 titles out.svg
	[ "$output" = 'all (12 samples, 100%)
a (4 samples, 33.33%)
x (1 samples, 8.33%)
z (2 samples, 16.67%)
w (2 samples, 16.67%)
a b (1 samples, 8.33%)
x (1 samples, 8.33%)
a! (1 samples, 8.33%)
y (1 samples, 8.33%)
b (6 samples, 50.00%)
a (4 samples, 33.33%)
c (1 samples, 8.33%)
d (2 samples, 16.67%)
e (1 samples, 8.33%)
f (1 samples, 8.33%)
a c (1 samples, 8.33%)
d (1 samples, 8.33%)
c (1 samples, 8.33%)' ]
	for file in lines reversed twice thrice; do
		flamegraph --minwidth 0 $file >other.svg
		[ "$(titles other.svg | sed 's/[0-9]* samples//')" = \
			"$(titles out.svg | sed 's/[0-9]* samples//')" ]
	done
}

@test "the output is the same each time, --random included" {
	for opts in "" --random --hash "--colors java"; do
		# shellcheck disable=SC2086
		flamegraph $opts in >a
		# shellcheck disable=SC2086
		LC_ALL=C.UTF-8 TZ=Asia/Tokyo flamegraph $opts in >b
		cmp a b
	done
}

@test "two counts a line make a diff" {
	printf '%s\n' 'm;grew 1 5' 'm;shrank 5 1' 'm;same 2 2' >two
	flamegraph two >out.svg
	run -0 titles out.svg
	[[ $output == *'grew (5 samples, 62.50%; +50.00%)'* ]]
	[[ $output == *'shrank (1 samples, 12.50%; -50.00%)'* ]]
	[ "$(fill out.svg grew)" = '#fb8a5d' ]
	[ "$(fill out.svg shrank)" = '#6cb2fe' ]
	flamegraph --negate two >negated.svg
	[ "$(fill negated.svg grew)" = '#6cb2fe' ]
	printf 'a 5 3\nb 2 2\n' | flamegraph --negate >same.svg
	titles same.svg | grep -qx 'b (2 samples, 40.00%; 0.00%)'
}

@test "two counts of two events are drawn by their ratio" {
	printf '%s\n' '#fold=1;counts=2;unit=cycles;ratio=instructions/cycles' \
		'm;high 32 8' 'm;none 0 4' 'm;same 6 6' 'm;low 2 22' >two
	flamegraph --static two >out.svg
	run -0 titles out.svg
	[[ $output == *'all (40 cycles, 100%; 1.00 instructions per cycle)'* ]]
	[[ $output == *'high (8 cycles, 20.00%; 4.00 instructions per cycle)'* ]]
	[[ $output == *'none (4 cycles, 10.00%; 0.00 instructions per cycle)'* ]]
	# A quarter and four times are the ends of the scale.
	[ "$(fill out.svg high)" = '#fb8a5d' ]
	[ "$(fill out.svg none)" = '#6cb2fe' ]
	[ "$(fill out.svg same)" = '#e4e4e4' ]
	[ "$(fill out.svg low)" = '#6cb2fe' ]
	grep -q '>0.25 or less<' out.svg
	grep -q '>4.00 or more<' out.svg
	grep -q 'grey: about 1.00 instructions per cycle, as in all<' out.svg
	flamegraph --negate --static two >out.svg
	[ "$(fill out.svg high)" = '#6cb2fe' ]
	grep -q '>4.00 or more<.*' out.svg
	# The picture keeps both counts, and what they are of.
	flamegraph two | unflame | flamegraph | titles /dev/stdin >again
	flamegraph two | titles /dev/stdin | diff - again
}

@test "--ratio names the events of two counts, in an easy unit" {
	printf 'm;f 3 4000\nm;g 0 4000\n' |
		flamegraph --ratio misses/instructions --static >out.svg
	titles out.svg |
		grep -qx 'f (4,000 instructions, 50.00%; 0.75 misses per 1000 instructions)'
	printf 'm;f 1 90000\n' | flamegraph --ratio a/b --static | titles /dev/stdin |
		grep -qx 'f (90,000 b, 100.00%; 11.1 a per million b)'
	printf '#fold=1;counts=2;unit=ns\nm;f 30 20000000\nm 1 0\n' |
		flamegraph --ratio faults/task-clock --static | titles /dev/stdin |
		grep -x 'f (20.* ms.*, 100.00%; 1.50 faults per ms of task-clock)'
	# Without the second event there is no ratio, and no width.
	printf 'm;f 1 0\n' >two
	run -0 --separate-stderr flamegraph --ratio a/b --static two
	[ "$stderr" = "flamegraph: no b counted, so there is no ratio" ]
	[[ $output == *'>no b counted<'* && $output != *' or less<'* ]]
	flamegraph -q --ratio 'a/<' --static two | xmllint --noout --nonet -
	# Without the first one, no colour means anything.
	printf 'm;f 0 1\n' >two
	run -0 --separate-stderr flamegraph --ratio a/b --static two
	[ "$stderr" = "flamegraph: no a counted, so all ratios are 0" ]
	echo "$output" >out.svg
	grep -q '>grey: all, as no a were counted<' out.svg
	run ! grep -e ' or less<' -e ', as in all<' out.svg
	xmllint --noout --nonet out.svg
	printf 'm;f 1\n' >one
	run -2 --separate-stderr flamegraph --ratio a/b one
	[[ $stderr == *"two counts per line"* ]]
	run -2 --separate-stderr flamegraph --ratio a one
	[[ $stderr == *"two events with a slash between them, not a"* ]]
}

@test "names of events in metadata are text, not markup" {
	printf '%s\n' '#fold=1;counts=2;ratio=%3C/script%3E"' \
		'#fold=1;counts=2;ratio=%3Cb%3E%22&/x' 'm;f 3 4' >two
	flamegraph two >out.svg
	xmllint --noout --nonet out.svg
	run ! grep -q '<b>' out.svg
}

@test "--diff total colours by what was called too" {
	printf '%s\n' 'm;f;g 1 5' 'm;h 4 4' >two
	flamegraph two >self.svg
	flamegraph --diff total two >total.svg
	[ "$(fill self.svg f)" = '#e4e4e4' ]
	[ "$(fill total.svg f)" = '#fb8a5d' ]
}

@test "only what folddiff judged is coloured, unless all is asked for" {
	printf '%s\n' '#fold=1;counts=2;test=1' \
		'#node=m%3Bf;class=up;lo=1.5;hi=9;q=0.01' 'm;f;g 1 5' 'm;h 1 4' >two
	flamegraph two >out.svg
	[ "$(fill out.svg f)" = '#fb8a5d' ]
	[ "$(fill out.svg g)" = '#e4e4e4' ]
	[ "$(fill out.svg h)" = '#e4e4e4' ]
	grep -q 'verdicts&quot;:\[\[2,&quot;up&quot;,&quot;1.5&quot;' out.svg
	# What really changed is said of all, but not seen.
	titles out.svg | grep -qx 'h (4 samples, 44.44%; +33.33%)'
	run ! grep '>+33.3%<' out.svg
	flamegraph --diff all two >out.svg
	[ "$(fill out.svg h)" != '#e4e4e4' ]
}

@test "what is large but not beyond noise is pale, and the legend says so" {
	printf '%s\n' '#fold=1;counts=2;assumed=user:0.03,kernel:0.5,jit:1;test=1' \
		'#node=m%3Bf;class=up;lo=1.5;hi=9;q=0.01' \
		'#node=m%3Bg;class=larger;lo=0.5;hi=9' \
		'#node=m%3Bh;class=smaller;lo=0.5;hi=9' \
		'm;f 1 9' 'm;g 1 9' 'm;h 9 1' 'm;i 1 9' >two
	flamegraph two >out.svg
	[ "$(fill out.svg f)" = '#fb8a5d' ]
	[ "$(fill out.svg g)" = '#f9cbba' ]
	[ "$(fill out.svg h)" = '#bedafa' ]
	[ "$(fill out.svg i)" = '#e4e4e4' ]
	grep -q 'strong: beyond noise.*pale: among the largest.*grey: the rest' out.svg
	grep -q 'assumed and not measured: user code 3 %, kernel code 50 %, jit code 100 %' out.svg
	sed 's/assumed=[^;]*/assumed=phi:2/' two | flamegraph |
		grep -q 'not measured: dispersion 2; of the strong ones up to 1 % may be chance<'
	sed 's/assumed=[^;]*;//' two | flamegraph |
		grep -q 'spread between runs: measured'
	# Where nothing could be tested.
	sed '/class=up/d; s/test=1/test=0/; s/assumed=[^;]*;//' two |
		flamegraph >out.svg
	[ "$(fill out.svg f)" = '#e4e4e4' ]
	[ "$(fill out.svg g)" = '#f9cbba' ]
	grep -q '>pale: among the largest differences<.*>not tested: ' out.svg
	# Hostile metadata are text.
	sed 's/assumed=[^;]*/assumed=<a:1,:,b,user:x,phi:/' two | flamegraph >out.svg
	xmllint --noout out.svg
	# Of changes that are not judged, the legend says that; the key a shows it.
	flamegraph --diff all two >out.svg
	grep -o '<g data-fg="key"[^>]*>' out.svg | grep judged | run ! grep -v 'display="none"'
	grep -q 'data-diff="total" transform.*not tested, so it may be chance' out.svg
}

@test "of stacks from their leaves folddiff judged none" {
	printf '%s\n' '#fold=1;counts=2;test=1' \
		'#node=f;class=up;lo=1.5;hi=9;q=0.01' 'f 1 5' 'm;f 2 3' >two
	run -0 --separate-stderr flamegraph --reverse two
	[[ $stderr == *'changes of merged leaves are not tested'* ]]
	[[ $output == *'verdicts&quot;:[],'* ]]
	flamegraph two | grep -q 'verdicts&quot;:\[\[1,&quot;up'
}

@test "--counts 1 takes a number before the count as a part of the name" {
	printf 'm;sort 2 12\n' >amb
	flamegraph --counts 1 amb >out.svg
	titles out.svg | grep -qx 'sort 2 (12 samples, 100.00%)'
}

@test "decimals are added exactly and shown" {
	printf 'm;a 0.1\nm;b 0.2\n' | flamegraph >out.svg
	titles out.svg | grep -qx 'all (0.3 samples, 100%)'
}

@test "counts beyond 2^53 are shown exactly" {
	printf 'm;a 9007199254740993\nm;b 1\n' | flamegraph >out.svg
	titles out.svg | grep -qx 'all (9,007,199,254,740,994 samples, 100%)'
}

@test "a sum beyond 64 bits is an overflow" {
	printf 'a 18446744073709551615\nb 1\n' >big
	run -2 flamegraph big
	[[ $output == *big:2:*'64 bits'* ]]
}

@test "empty input is a picture without samples, and status 0" {
	run -0 --separate-stderr flamegraph </dev/null
	[[ $output == *'no samples'* ]]
	[[ $stderr == *'no samples'* ]]
	printf '%s\n' "$output" >out.svg
	well_formed out.svg
}

@test "a profile of which nothing is left is not called empty" {
	printf 'a;b 5 0\na;c 7 0\n' >two
	run -0 --separate-stderr flamegraph two
	[[ $output == *'>no samples after the change<'* ]]
	[[ $stderr == *': no samples after the change' ]]
}

@test "what cannot be understood is status 2, in part with --strict 1" {
	echo garbage >bad
	run -2 --separate-stderr flamegraph bad
	[[ $stderr == *bad:1:* ]]
	cat in bad >part
	run -0 --separate-stderr flamegraph part
	[[ $stderr == *'1 line skipped'*part:4:* ]]
	run -1 --separate-stderr flamegraph --strict part
}

@test "an unwritable output is status 2" {
	run -2 bash -c 'flamegraph in >/dev/full'
}

@test "names cannot become markup or script" {
	# shellcheck disable=SC2016
	printf '%s\n' '<script>alert(1)</script>;]]>;"onload="x' \
		'--><svg onload=alert(1)>;&amp;;'"a'b" 'a;</title><a>;</metadata>' |
		sed 's/$/ 100/' >evil
	printf 'nul\0;esc\033[31m;bad\377\376;\342\200\256rtl;\357\277\277 5\n' \
		>>evil
	evil='</title></style></script><script>alert(1)</script>-->"onload="a'
	flamegraph --title "$evil" --subtitle "$evil" --notes "$evil --" \
		--countname "$evil" --nametype "$evil" --fonttype "$evil" \
		evil >out.svg
	well_formed out.svg
	[ "$(grep -c '<script' out.svg)" -eq 1 ]
	[ "$(xmllint --xpath 'count(//@*[starts-with(name(), "on")])' \
		out.svg)" -eq 0 ]
	titles out.svg | grep -q '^nul�'
	titles out.svg | grep -q '^bad�� ('
	titles out.svg | grep -q '^�rtl ('
}

@test "what may not stand in XML is in no picture, wherever it came from" {
	printf '#fold=1;counts=2;test=1;%s\n#node=a;class=\xff;q=%s\na;b 1 2\n' \
		'title=%ef%bf%be%e2%80%ae;unit=%ef%bf%bf;event=%01%ff' \
		$'\xef\xbf\xbe' >two
	flamegraph two >out.svg
	well_formed out.svg
	grep -q $'data-fg="title".*>\xef\xbf\xbd\xef\xbf\xbd</text>' out.svg
	flamegraph --title $'\xef\xbf\xbe' --notes $'\xef\xbf\xbf--\xc3\xb6-' \
		--countname $'\xef\xbf\xbe' --fonttype $'\xef\xbf\xbe' in >out.svg
	well_formed out.svg
	grep -q $'NOTES: \xef\xbf\xbd- - \xc3\xb6-  -->' out.svg
	printf 'main\ttitle=\xff\x01\ttarget=\xef\xbf\xbe\thref=/\xff\n' >attr
	flamegraph --nameattr attr in >out.svg
	well_formed out.svg
}

@test "--nameattr takes titles and harmless links" {
	printf '%s\n' 'sort	title=Sorting & so	href=https://example.org/?a&b' \
		'parse	href=javascript:alert(1)	onclick=alert(2)' \
		'main	href=data:text/html,x	target=_blank' >attr
	flamegraph --nameattr attr in >out.svg
	well_formed out.svg
	grep -q '<a class="c[0-9]*" href="https://example.org/?a&amp;b"' out.svg
	titles out.svg | grep -qx 'Sorting &amp; so'
	run ! grep -E 'javascript:|onclick|data:text' out.svg
	echo 'no tab' >attr
	run -2 flamegraph --nameattr attr in
}

@test "a stack 10,000 deep and a function 100,000 wide are drawn" {
	awk 'BEGIN { for (i = 0; i < 10000; i++) s = s "f" i ";"; print s "x 1" }' \
		>deep
	flamegraph deep >out.svg
	[ "$(titles out.svg | wc -l)" -eq 10002 ]
	awk 'BEGIN { for (i = 0; i < 100000; i++) print "m;f" i " 1" }' >wide
	flamegraph wide >out.svg
	well_formed out.svg
}

@test "--reverse merges from the leaves" {
	flamegraph --reverse in >out.svg
	run -0 titles out.svg
	[[ $output == *'read (3 samples, 37.50%)
parse (3 samples, 37.50%)
main (3 samples, 37.50%)'* ]]
}

@test "--inverted draws the root at the top" {
	flamegraph --inverted in >out.svg
	grep -q '<title>all .*y="0"' out.svg
	grep -q '>Icicle Graph<' out.svg
	flamegraph in >out.svg
	grep -q '<title>all .*y="-16"' out.svg
}

@test "--flamechart keeps the order and merges only neighbours" {
	printf '%s\n' 'b;x 1' 'a 1' 'b;x 1' 'b;y 1' >chart
	flamegraph --flamechart chart >out.svg
	run -0 titles out.svg
	[ "$output" = 'all (4 samples, 100%)
b (1 samples, 25.00%)
x (1 samples, 25.00%)
a (1 samples, 25.00%)
b (2 samples, 50.00%)
x (1 samples, 25.00%)
y (1 samples, 25.00%)' ]
	grep -q '>Flame Chart<' out.svg
}

@test "--flamechart has what is called where its caller has come to" {
	printf '%s\n' 'a 300' 'a;b 100' 'a;b;d 50' 'a 150' 'a;c 300' 'a;c;e 50' \
		'a 49.5' 'a;f 0.5' >chart
	flamegraph --flamechart --minwidth 0 --static chart >out.svg
	sed -n 's/.*<title>\([a-f]\) .*<rect x="\([^"]*\)".*width="\([^"]*\)".*/\1 \2 \3/p
		/<path/s/.* d="M\([^ ]*\) .*/f \1/p' out.svg >places
	diff - places <<-'END'
		a 0% 100%
		b 30% 15%
		d 40% 5%
		c 60% 35%
		e 90% 5%
		f 1179.41
	END
}

@test "--total leaves room, unless it is less than there is" {
	flamegraph --total 16 in >out.svg
	titles out.svg | grep -qx 'all (16 samples, 100%)'
	titles out.svg | grep -qx 'main (8 samples, 50.00%)'
	run -0 --separate-stderr flamegraph --total 2 in
	[[ $stderr == *'--total'*ignored* ]]
}

@test "--factor and --countname change what is shown" {
	flamegraph --factor 1000 --countname ms in >out.svg
	titles out.svg | grep -qx 'sort (4,000 ms, 50.00%)'
}

@test "the unit is that of the metadata, time in milliseconds" {
	printf '%s\n' '#fold=1;unit=ns;event=cpu-clock;hz=99;dur=2.500000000' \
		'm;a 1500000' 'm;b 500000' >meta
	flamegraph meta >out.svg
	titles out.svg | grep -qx 'a (1.500 ms of CPU, 75.00%)'
	grep -q '>cpu-clock · 99 Hz · 2.5 s · 2 ms of CPU<' out.svg
}

@test "counts of different units are not added up" {
	printf '#fold=1;unit=ns\na 1\n' >ns
	printf '#fold=1;unit=bytes\na 1\n' >bytes
	run -2 flamegraph ns bytes
	[[ $output == *bytes:2:*unit* ]]
}

@test "--minwidth is about the drawing: the table has all frames" {
	flamegraph in >a
	flamegraph --minwidth 45% in >b
	[ "$(titles b | wc -l)" -eq 4 ]
	grep -q '<metadata' a
	[ "$(grep '<metadata' a)" = "$(grep '<metadata' b)" ]
}

@test "the shares of what is missing do not depend on --reverse" {
	printf '%s\n' '#fold=1;counts=1;unit=samples' '[truncated];[libc];f 10' \
		'[unknown] 5' 'main;[libc];f 20' 'main;[unknown] 50' \
		'main;f 15' >missing
	for option in '' --reverse; do
		flamegraph $option missing >out.svg
		grep -q '>100 samples · 10.0% truncated · 55.0% without names<' \
			out.svg
	done
}

@test "--max-frames sums up the smallest and says so" {
	{
		echo 'm;big 1000'
		for i in $(seq 100); do echo "m;small$i;x 1"; done
	} >many
	run -0 --separate-stderr flamegraph --max-frames 10 many
	[[ $stderr == *'200 frames'*'9.09%'* ]]
	printf '%s\n' "$output" >out.svg
	titles out.svg | grep -qx '(200 more) (100 samples, 9.09%)'
	titles out.svg | grep -qx 'all (1,100 samples, 100%)'
}

@test "--max-frames keeps the widest of counts below 1, too" {
	for i in 10 11 12 13 14 15 16 17 18 19; do echo "f$i 0.$i"; done >part
	run -0 --separate-stderr flamegraph --max-frames 3 part
	[[ $stderr == *'8 frames with 74.48%'* ]]
	printf '%s\n' "$output" >out.svg
	titles out.svg | grep -qx 'f19 (0.19 samples, 13.10%)'
	titles out.svg | grep -qx 'f18 (0.18 samples, 12.41%)'
	# Of two columns, and in units where millionths do not fit.
	sed 's/.*/& 0.05/' part >two
	flamegraph -q --max-frames 3 two >out.svg
	titles out.svg | grep -q '^(8 more)'
	echo 'big 20000000000000' >>part
	run -0 --separate-stderr flamegraph --max-frames 3 part
	[[ $stderr == *'10 frames with'* ]]
}

@test "--static has neither table nor script" {
	flamegraph --static in >out.svg
	run ! grep -E '<script|<metadata|data-cfg' out.svg
	well_formed out.svg
}

@test "-o: - is standard output, x.html a page; x.png and x.pdf say how" {
	flamegraph in >out.svg
	flamegraph --format html in >out.html
	flamegraph -o - in | cmp out.svg
	[ ! -e ./- ]
	flamegraph -o page.HTML in
	cmp out.html page.HTML
	flamegraph -o page.html --format svg in
	cmp out.svg page.html
	for ending in png pdf; do
		run -2 --separate-stderr flamegraph -o "x.$ending" in
		[[ $stderr == *"rsvg-convert -f $ending -o x.$ending out.svg"* ]]
		[ ! -e "x.$ending" ]
	done
	run -2 --separate-stderr flamegraph --follow -o - in
	[[ $stderr == *'--follow needs a file'* ]]
}

@test "--format html wraps the same in a page" {
	flamegraph --format html in >out.html
	grep -qi '^<!DOCTYPE html>' out.html
	[ "$(grep -c '<svg xmlns' out.html)" -eq 1 ]
	[ "$(titles out.html | grep -c samples)" -eq 5 ]
}

@test "nothing is fetched, and nothing outside of the picture is styled" {
	flamegraph in >out.svg
	run ! grep -E '(href|src)="|@import|url\(' out.svg
	sed -n '/<style>/,/<\/style>/p' out.svg | grep -o '^[^{@]*{' |
		run ! grep -v '^svg\.fg'
}

@test "options are taken as Perl took them" {
	flamegraph --title 'A B' --colors java --minwidth 1 --width 800 in >a
	flamegraph -title='A B' --color=java -minw 1 in -wid 800 >b
	flamegraph --tit 'A B' --col java --minwidth=1 --width=800 in >c
	cmp a b
	cmp a c
	run -2 flamegraph --nonsense in
	run -2 flamegraph --width x in
	run -2 flamegraph --font 3 in
}

@test "--count is --countname, which FlameGraph has, not --counts" {
	flamegraph --count bytes in >out.svg
	titles out.svg | grep -qx 'sort (4 bytes, 50.00%)'
}

# rgb NAME: the colour of a frame of out.svg as FlameGraph writes it.
rgb() {
	local hex

	hex=$(fill out.svg "$1")
	echo $((16#${hex:1:2})),$((16#${hex:3:2})),$((16#${hex:5:2}))
}

# The colours are those flamegraph.pl gave in a run of it.
@test "the palettes hot and mem have FlameGraph's colours" {
	printf '%s 100\n' start_thread 'java/util/HashMap:::get_[j]' \
		JavaThread::run 'schedule_[k]' 'a;-' 'b;--' >names
	flamegraph --colors hot names >out.svg
	[ "$(rgb start_thread)" = 212,34,8 ]
	[ "$(rgb JavaThread::run)" = 241,169,40 ]
	[ "$(rgb all)" = 213,39,9 ]
	[ "$(rgb -)" = 200,200,200 ]
	[ "$(rgb --)" = 160,160,160 ]
	flamegraph --colors mem names >out.svg
	[ "$(rgb start_thread)" = 0,197,31 ]
}

# FlameGraph's own shades had labels of 3.6:1, and its green and yellow are one
# colour to one man in twelve: vision.bats.
@test "the palette java has FlameGraph's hues" {
	printf '%s 100\n' start_thread 'java/util/HashMap:::get_[j]' \
		JavaThread::run 'schedule_[k]' 'memcpy_[i]' >names
	flamegraph --colors java names >out.svg
	[[ $(rgb start_thread) =~ ^2[34].,1[67].,17.$ ]]
	[[ $(rgb java/util/HashMap:::get) =~ ^19.,2[34].,1[56].$ ]]
	[[ $(rgb schedule) =~ ^2[45].,1[23].,4.$ ]]
	[[ $(rgb JavaThread::run) =~ ^24.,2[23].,[345].$ ]]
	[[ $(rgb memcpy) =~ ^11.,1[67].,1[89].$ ]]
}

@test "--hash gives the colours of FlameGraph's name hash" {
	printf '%s 100\n' start_thread 'java/util/HashMap:::get_[j]' >names
	flamegraph --colors hot --hash names >out.svg
	[ "$(rgb start_thread)" = 241,156,40 ]
	[ "$(rgb java/util/HashMap:::get)" = 237,104,35 ]
}

@test "--cp takes colours from palette.map, and never writes it" {
	printf 'sort->rgb(1,2,3)\nparse->url(x)\n' >palette.map
	cp palette.map before
	flamegraph --cp in >out.svg
	[ "$(fill out.svg sort)" = '#010203' ]
	cmp palette.map before
}

@test "a palette of one's own, by name or as a file" {
	printf '%s\n' '# mine' 'class a light=#112233' 'class b light=445566' \
		'rule a /^SORT$/i' 'rule b suffix=k /read/' >mine.palette
	for p in mine ./mine.palette; do
		flamegraph --colors $p in >out.svg
		[ "$(fill out.svg sort)" = '#112233' ]
		[ "$(fill out.svg read)" = '#445566' ]
	done
	run -2 flamegraph --colors none-such in
	[[ $output == *none-such* ]]
	echo 'rule a /(/' >>mine.palette
	run -2 flamegraph --colors mine in
	[[ $output == *mine.palette:6:* ]]
}

@test "--bgcolors takes FlameGraph's words and #rrggbb" {
	for color in yellow blue green grey '#102030'; do
		flamegraph --bgcolors $color in >out.svg
		grep -q '<linearGradient' out.svg
		well_formed out.svg
	done
	run -2 flamegraph --bgcolors pink in
}

@test "labels keep the method and lose packages" {
	printf '%s\n' 'org/mozilla/javascript/NativeFunction.call 10' 'x 20' >path
	flamegraph --width 600 path >out.svg
	grep -q '>…NativeFunction.call<' out.svg
}

# Lines of "NAME|WIDTH OF OTHERS|LABEL".
@test "a label is what tells most of a name that is too long" {
	local name other label

	while IFS='|' read -r name other label; do
		printf '%s 10\n~ %s\n' "$name" "$other" >in
		flamegraph --width 600 in >out.svg 2>/dev/null
		diff <(grep -o '<text[^>]*>[^<]*</text>' out.svg |
			sed 's/<[^>]*>//g' | grep -vx -e '~.*' -e all -e 'Flame Graph') - <<<"$label"
	done <<-'END'
		std::map<std::pair<int, long>, void (*)(int)>::find(int const&)|20|…find…
		std::vector<std::vector<int>>::push_back(std::vector<int>&&)|20|…push_back…
		void ns::f<ns::g<a::b>>(ns::c)|30|…f&lt;ns::g&lt;a::b&gt;&gt;…
		ns::very_long_name_of_a_class<a<b>::c>::method|20|…method
		/usr/lib/x86_64-linux-gnu/libstdc++.so.6|20|…libstdc++.so.6
		/usr/lib/x86_64-linux-gnu/libstdc++.so.6|60|libstdc++…
		/usr/lib/x86_64-linux-gnu/libverylong_name.so|25|…libverylong_name.so
		long_module_name.with.parts.process.isra.3|20|…parts.process.isra.3
		int java.lang.String.compareTo|25|…lang.String.compareTo
		java.lang.String[] org.example.Outer$Inner.call|20|…example.Outer$Inner.call
		void org.example.Outer.<init>|25|…example.Outer.&lt;init&gt;
		no.java org.example.a-method-|18|…java org.example.a-method-
		run (/srv/app/long/path/server.py:12)|20|run…
		handle /srv/app/index.js:10:3|20|handle…
		operator new(unsigned long)|20|operator new…
		bool operator<(a::b const&, a::c const&)|30|…operator&lt;…
		(anonymous namespace)::helper(int)|20|…helper…
	END
}

@test "what follows the last blank line of a stream is not drawn" {
	cat >stream <<-'END'
	#fold=1;time=1.000000000;dur=1.000000000;n=1
	a 1

	#fold=1;time=2.000000000;dur=1.000000000;n=2
	b 2
	END
	flamegraph stream 2>stderr | unflame >out
	[ "$(<out)" = 'a 1' ]
	grep -q 'stream: dropped the last snapshot' stderr
	echo >>stream
	flamegraph stream | unflame >out
	[ "$(<out)" = $'a 1\nb 2' ]
}

# A stream of samples: seconds and stacks.
samples() {
	echo '#fold=1;counts=1;unit=ns;clock=perf;event=cpu-clock'
	while [ $# -gt 0 ]; do
		printf '#time=%s\n%s 10\n' "$1" "$2"
		shift 2
	done
}

# What the script gets to know of a heat map: heat KEY FILE.
heat() {
	sed -n 's/.* data-heat="\([^"]*\)".*/\1/p' "$2" | sed 's/&quot;/"/g' |
		sed -n "s/.*\"$1\":\"*\([^,\"}]*\).*/\1/p"
}

# The cells of a heat map, as "column row" in the order of time.
cells() {
	sed -n 's/^<path class="h[0-7]" stroke="[^"]*" d="\(M[^"]*\)".*/\1/p' "$1" |
		sed 's/\([mv]\)/ \1 /g; s/-/ -/g' |
		awk -v rows="$(heat rows "$1")" '
		{
			x = 0
			y = rows
			for (i = 3; i <= NF; i += 5) {
				x += $(i + 1)
				y += $(i + 2)
				for (n = -$(i + 4); n > 0; n--)
					print x, rows - y--
			}
		}' | sort -n -k1,1 -k2,2
}

@test "--heatmap: columns are seconds, rows parts of one" {
	samples 7.999999999 a 8.000000000 a 8.019999999 a 8.020000000 b \
		10.5 c 10.999999999 c >in
	flamegraph --heatmap --rows 50 in >out.svg
	well_formed out.svg
	[ "$(heat start out.svg)" -eq 7000000000 ]
	[ "$(heat columns out.svg)" -eq 4 ]
	run -0 cells out.svg
	[ "$output" = $'0 49\n1 0\n1 1\n3 25\n3 49' ]
	titles out.svg | grep -qx 'a (0.000 ms of CPU, 50.00%)'
}

@test "--heatmap: the frames begin below the axis" {
	samples 1 a 2 b >in
	flamegraph --heatmap --static in >out.svg
	# 15 px from the cells to the axis' text, and 4 for its descenders
	sed -nE 's/.*data-fg="(heat|frames)".* y="([0-9.]*)".* height="([0-9.]*)".*/\1 \2 \3/p' \
		out.svg | awk '$1 == "heat" { end = $2 + $3 + 19 }
			$1 == "frames" { good = $2 >= end && $2 < end + 20 }
			END { exit !good }'
}

@test "--heatmap: the cells with samples are those that awk finds" {
	awk 'BEGIN {
		srand(3)
		print "#fold=1;counts=1;clock=perf"
		for (t = 100; t < 160; t += rand() / 20)
			printf "#time=%.9f\nm;f%d 1\n", t, rand() * 9
	}' >in
	flamegraph --heatmap --rows 20 in >out.svg
	awk -F '[=.]' '/^#time/ {
		print $2 - 100, int($3 / 50000000)
	}' in | sort -n -k1,1 -k2,2 -u >want
	cells out.svg | diff want -
}

@test "--heatmap: a static drawing has no script and no table" {
	samples 1 a 2 b >in
	flamegraph --heatmap --static in >out.svg
	well_formed out.svg
	[ "$(cells out.svg | wc -l)" -eq 2 ]
	run ! grep -qE '<script|<metadata' out.svg
}

@test "--heatmap: long recordings have columns of more seconds" {
	samples 10.5 a 3611 b >in
	flamegraph --heatmap in >out.svg
	[ "$(heat span out.svg)" -eq 10000000000 ]
	[ "$(heat columns out.svg)" -eq 361 ]
	samples 0 a 18446744073.709551615 b >in
	flamegraph --heatmap in >out.svg
	[ "$(heat columns out.svg)" -le 374 ]
	[ "$(cells out.svg | wc -l)" -eq 2 ]
}

@test "--heatmap: the longest recording there can be has an end" {
	printf '#fold=1;clock=monotonic\n#time=%s\na 1\n#time=%s\nb 1\n' \
		0.000000000 18446744073.709551615 >in
	ulimit -t 10
	flamegraph --heatmap --width 1200 in >out.svg
	[ "$(grep -c 'y="215">.*:00</text>' out.svg)" -lt 100 ]
	flamegraph --heatmap --width 100000 in >out.svg
	flamegraph --heatmap --width 100 in >out.svg
}

@test "--heatmap: fewer rows where there are few samples" {
	samples 1.1 a 1.2 b >in
	flamegraph --heatmap in >out.svg
	[ "$(heat rows out.svg)" -eq 10 ]
	awk 'BEGIN {
		print "#fold=1;counts=1;clock=perf"
		for (i = 0; i < 2000; i++)
			printf "#time=%d.%03d000000\na 1\n", i / 1000, i % 1000
	}' >in
	flamegraph --heatmap in >out.svg
	[ "$(heat rows out.svg)" -eq 50 ]
}

@test "--column: seconds of a column, as many as there is room for" {
	samples 1.25 a 1.85 b >in
	flamegraph --heatmap --column 0.1 --rows 2 in >out.svg
	[ "$(heat start out.svg)" -eq 1200000000 ]
	run -0 cells out.svg
	[ "$output" = $'0 1\n6 1' ]
	samples 1 a 5000 b >in
	run -2 flamegraph --column 1 in
	[[ $output == *'--column and --rows are for --heatmap'* ]]
	run -2 flamegraph --rows 20 in
	run -2 flamegraph --heatmap --column 1 in
	[[ $output == *'--column: would give more than 1124 columns'* ]]
}

@test "--heatmap: of several events the first counts, or --event-filter's" {
	samples 1 a >in
	printf '%s\n' '#time=2;event=faults' 'b 1' >>in
	run -0 --separate-stderr flamegraph --heatmap in
	[[ $stderr == *'counting only event cpu-clock, not faults'* ]]
	[[ $output != *'<title>b ('* ]]
	flamegraph --heatmap --event-filter faults in >out.svg
	titles out.svg | grep -qx 'b (1 faults, 100.00%)'
	flamegraph --event-filter faults in >out.svg
	titles out.svg | grep -qx 'b (1 faults, 100.00%)'
	run -0 flamegraph --event-filter none in
	[[ $output == *'no samples of event none; the input has cpu-clock'* ]]
}

@test "a picture of all events has the name of none" {
	printf '#fold=1;counts=1\n#event=%s\na;b 1\n#event=%s\na;c 2\n' \
		cycles faults >in
	flamegraph --event-filter all --static in >out.svg
	run ! grep -qE 'cycles|faults' out.svg
	sed s/faults/cycles/ in | flamegraph --event-filter all --static |
		grep -qF '>cycles '
}

@test "--heatmap: samples without a time are left out, and said" {
	samples 1 a >in
	echo 'b 10' >>in
	run -0 --separate-stderr flamegraph --heatmap in
	[[ $stderr == *'dropped 1 sample without a time'* ]]
	[[ $output != *'<title>b ('* ]]
	for text in 'a 1' $'#fold=1;time=1;dur=1\na 1\n'; do
		echo "$text" >in
		run -2 flamegraph --heatmap in
		[[ $output == *'no times: --heatmap needs a stream'* ]]
	done
}

@test "--heatmap: not for a diff, nor for a chart" {
	printf '%s\n' '#fold=1;counts=2;clock=perf' '#time=1' 'a 1 2' >in
	run -2 flamegraph --heatmap in
	[[ $output == *'--heatmap needs one count per line'* ]]
	run -2 flamegraph --heatmap --flamechart in
	: >in
	run -0 flamegraph --heatmap in
	[[ $output == *'no samples'* ]]
}

@test "--heatmap: a clock's name stays text" {
	printf '%s\n' '#fold=1;clock=%3C/svg%3E%22%26]]%3E%3Cscript%3E' \
		'#time=1' 'a 1' >in
	flamegraph --heatmap in >out.svg
	well_formed out.svg
	[ "$(grep -c '<script' out.svg)" -eq 1 ]
}

@test "--heatmap: unflame gets the whole profile back" {
	samples 1 'm;a' 1.5 'm;b' 3 'm;a' >in
	flamegraph --heatmap in | unflame >out
	printf '%s\n' 'm;a 20' 'm;b 10' | diff - out
}
