#!/usr/bin/env bats
# vision.bats - colours can be told apart, and labels be read, by everybody.

load ../helper

vision=$top_builddir/t/palette/vision

# apart FILE: each of the lines of vision has a distance of at least 10.
apart() {
	cat "$1"
	awk 'NF != 5 || $3 < 10 { bad = 1 } END { exit bad || NR != 8 }' "$1"
}

# legible FILE LIGHT DARK: labels have at least these contrasts.
legible() {
	cat "$1"
	awk -v light="$2" -v dark="$3" '
	$2 < ($1 == "dark" ? dark : light) { bad = 1 }
	END { exit bad || NR != 2 }' "$1"
}

# Pairs of Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula".
@test "the distance is CIEDE2000" {
	run -0 "$vision" -t <<-'END'
	50.0000 2.6772 -79.7751 50.0000 0.0000 -82.7485
	50.0000 3.1571 -77.2803 50.0000 0.0000 -82.7485
	50.0000 -1.0000 2.0000 50.0000 0.0000 0.0000
	50.0000 2.4900 -0.0010 50.0000 -2.4900 0.0010
	50.0000 2.5000 0.0000 73.0000 25.0000 -18.0000
	60.2574 -34.0099 36.2677 60.4626 -34.1751 39.4387
	63.0109 -31.0961 -5.8663 62.8187 -29.7946 -4.0864
	22.7233 20.0904 -46.6940 23.0331 14.9730 -42.5619
	2.0776 0.0795 -1.1350 0.9033 -0.0636 -0.5514
	END
	[ "$output" = '2.0425
2.8615
2.3669
7.1792
27.1492
1.2644
1.2630
2.0373
0.9082' ]
}

@test "a palette that only red and green tell apart is found out" {
	printf '%s\n' 'class a light=c08080' 'class b light=8aa080' 'rule a /a/' \
		'rule b /b/' >"$BATS_TEST_TMPDIR/two.palette"
	"$vision" "$BATS_TEST_TMPDIR/two.palette" >"$BATS_TEST_TMPDIR/out"
	run ! apart "$BATS_TEST_TMPDIR/out"
	[ "$(awk '$1 == "light" && $2 == "normal" { print ($3 > 10) }' \
		"$BATS_TEST_TMPDIR/out")" = 1 ]
}

@test "classes of our palettes stay apart for every eye, on light and dark pages" {
	for palette in default jit kernel-user; do
		echo "$palette"
		"$vision" "$palette" >"$BATS_TEST_TMPDIR/out"
		apart "$BATS_TEST_TMPDIR/out"
	done
}

# What stands between two stacks is no class of frames: its greys are
# FlameGraph's.
@test "classes of FlameGraph's and inferno's palettes stay apart, too" {
	for palette in java js perl chain python rust; do
		echo "$palette"
		"$vision" "$palette" separator gap >"$BATS_TEST_TMPDIR/out"
		apart "$BATS_TEST_TMPDIR/out"
	done
}

@test "grey, pale and strong stay apart in a diff, and so do more and less" {
	"$vision" -d >"$BATS_TEST_TMPDIR/out"
	apart "$BATS_TEST_TMPDIR/out"
}

# Hot has the very colours of FlameGraph.
@test "labels have a contrast of 7:1 on light pages and 4.5:1 on dark ones" {
	for palette in "$top_srcdir"/share/palettes/*.palette; do
		grep -q '^rule' "$palette" || continue
		[ "${palette##*/}" != hot.palette ] || continue
		"$vision" -c "$palette" >"$BATS_TEST_TMPDIR/out"
		echo "$palette"
		legible "$BATS_TEST_TMPDIR/out" 7 4.5
	done
}
