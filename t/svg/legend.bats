#!/usr/bin/env bats
# legend.bats - pictures say what their colours mean.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'main;read;vfs_read_[k] 30' 'main;f_[j];g_[i] 45' \
		'main;h_[0] 20' 'main;[unknown] 5' >in
}

# The entries of the legend, as text.
entries() {
	grep -o '<g data-fg="key".*' "$1" | sed 's/<\/text>/\n/g' | sed 's/<[^>]*>//g'
}

@test "the legend has the classes of the picture with their shares" {
	flamegraph --static in >out.svg
	run -0 entries out.svg
	[ "$output" = 'kernel 30.0%
JIT 0.0%
interpreted 20.0%
inlined 45.0%
other 0.0%
no name 5.0%' ]
	xmllint --noout --nonet out.svg
	# From the leaves, too, the share is that of functions themselves.
	flamegraph --static --reverse in >out.svg
	entries out.svg | grep -qx 'inlined 45.0%'
}

@test "swatches have the colours of the frames" {
	flamegraph --static in >out.svg
	fill=$(grep -o '<title>vfs_read.*' out.svg | grep -o '#[0-9a-f]*"' | head -n 1)
	grep -o '<g data-fg="key".*kernel' out.svg | grep -q "fill=\"$fill"
}

@test "without a script, too, an entry under the pointer makes the others pale" {
	flamegraph --static in >out.svg
	key=$(grep -o 'class="fg[^"]*' out.svg | grep -o 'm[0-9a-f]\{8\}')
	class=$(grep -o '<g class="c[0-9]*"><title>vfs_read' out.svg | grep -o 'c[0-9]\+')
	entry=$(grep -o 'data-key="[0-9]*"[^k]*kernel' out.svg | tail -n 1 |
		grep -o '^data-key="[0-9]*"')
	grep -F "svg.fg.$key [$entry]:is(:hover,.on)~[data-fg=frames] :is(" out.svg |
		grep -qE "[(,].${class}[,)]"
	grep -qF '~[data-fg=frames]{fill-opacity:.15}' out.svg
	# The rule is for elements that come after the legend.
	[ "$(grep -n 'data-fg="key"' out.svg | cut -d : -f 1 | head -n 1)" -lt \
		"$(grep -n 'id="frames"' out.svg | cut -d : -f 1)" ]
}

@test "a palette names its classes, with label= or by their names" {
	printf '%s\n' 'class ours label=our_own_code light=ffb000' \
		'class rest light=d0d0d0' 'rule ours /^main$/' 'rule rest /./' >p.palette
	foldcolor --check -p ./p.palette
	flamegraph --static --colors ./p.palette in >out.svg
	run -0 entries out.svg
	[ "$output" = 'our own code 0.0%
rest 100.0%' ]
	sed 's/our_own_code/<a>\&b/' p.palette >q.palette
	flamegraph --static --colors ./q.palette in >out.svg
	xmllint --noout --nonet out.svg
}

@test "frames that no rule holds for are among the entries" {
	flamegraph --static --colors kernel in >out.svg
	entries out.svg | grep -qx 'other 25.0%'
}

@test "a palette of one class has no legend" {
	flamegraph --static --colors hot in >out.svg
	run ! grep -q 'data-fg="key"' out.svg
	flamegraph --static </dev/null >out.svg
	run ! grep -q 'data-fg="key"' out.svg
}

@test "the legend of a diff says what grey, pale and strong mean, and what was assumed" {
	printf '%s\n' '#fold=1;counts=2;assumed=user:0.03;test=1' \
		'#node=m%3Bf;class=up;lo=1.5;hi=9;q=0.02' \
		'#node=m%3Bg;class=larger;lo=0.5;hi=9' \
		'm;f 1 10' 'm;g 1 5' 'm;h 5 5' >two
	flamegraph --static two >out.svg
	run -0 entries out.svg
	[ "${lines[0]}" = 'strong: beyond noise' ]
	[ "${lines[1]}" = 'pale: among the largest, not beyond noise' ]
	[ "${lines[2]}" = 'grey: the rest' ]
	[ "${lines[3]}" = 'spread between runs, assumed and not measured: user code 3 %; of the strong ones up to 2 % may be chance' ]
	grep -v '^#' two | flamegraph --static >out.svg
	run -0 entries out.svg
	[ "${lines[0]}" = 'blue: less' ]
	[ "${lines[1]}" = 'grey: no change' ]
	[ "${lines[2]}" = 'red: more' ]
	[[ ${lines[3]} == *'own counts; not tested, so it may be chance' ]]
}

@test "lines of the legend are no wider than a narrow picture" {
	flamegraph --static --width 360 in >out.svg
	grep -o 'data-key="[^"]*" transform="translate([0-9.]* [0-9.]*)' out.svg |
		awk -F '[( ]' '{ rows[$NF]++; if ($(NF - 1) > 300) bad = 1 }
			END { exit bad || length(rows) < 3 }'
}

@test "the script gets the entry of each colour" {
	flamegraph in >out.svg
	grep -o '&quot;keys&quot;:\[[^]]*\]\|"keys":\[[^]]*\]' out.svg |
		grep -qE ':\[-?[0-9]+(,-?[0-9]+)+\]$'
}
