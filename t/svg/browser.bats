#!/usr/bin/env bats
# browser.bats - what flamegraph's pictures do in a browser; browser/check.js.

load ../helper
load ../browser/library

# Set up once: the browser, the library that drives it, and one run of all.
setup_file() {
	local dir=$top_builddir/t/browser

	export WHY=
	CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || :)}
	export CHROMIUM
	if grep -q '^CFLAGS = .*-fsanitize' "$top_builddir/Makefile"; then
		WHY='a browser does not see whether sanitizers are built in'
	elif [ -z "$CHROMIUM" ]; then
		WHY='no chromium'
	elif ! command -v node >/dev/null; then
		WHY='no node'
	elif ! library "$dir" >"$BATS_FILE_TMPDIR/npm" 2>&1; then
		WHY='what npm has cannot be installed'
	else
		node "$top_srcdir/t/browser/check.js" "$dir" "$BATS_FILE_TMPDIR" \
			>"$BATS_FILE_TMPDIR/results" 2>&1 ||
			[ $? -ne 2 ] || WHY='no browser starts'
	fi
}

# The check of that name went well.
check() {
	[ -z "$WHY" ] || skip "$WHY"
	grep -F "ok $BATS_TEST_DESCRIPTION" "$BATS_FILE_TMPDIR/results" >&2
	grep -qxF "ok $BATS_TEST_DESCRIPTION" "$BATS_FILE_TMPDIR/results"
}

@test "every check has a test here" {
	sed -n "s/^\tasync '\(.*\)'() {\$/\1/p" \
		"$top_srcdir"/t/browser/checks/*.js | sort >"$BATS_TEST_TMPDIR/checks"
	sed -n 's/^@test "\(.*\)" { check; }$/\1/p' \
		"$BATS_TEST_FILENAME" | sort | diff "$BATS_TEST_TMPDIR/checks" -
}

@test "ready without errors" { check; }
@test "the static drawing is taken over, not drawn again" { check; }
@test "numbers are rounded as they are in the drawing" { check; }
@test "a click zooms in, and on a caller out again" { check; }
@test "a link, 0 and Esc reset the view" { check; }
@test "what is too narrow appears when zoomed into" { check; }
@test "a frame without an element of its own is found by the pointer" { check; }
@test "search looks at names only, ignoring case unless it has capitals" { check; }
@test "Esc leaves the search field as it is" { check; }
@test "the share found is that of the zoomed frame" { check; }
@test "n and N go to the next and last match" { check; }
@test "what keys lead to is not behind the details" { check; }
@test "arrows walk, Enter zooms, keys work from the start" { check; }
@test "keys stay on their frame when the view changes" { check; }
@test "arrows walk among callers of a function in the middle, too" { check; }
@test "i turns flames into icicles" { check; }
@test "r merges from the leaves" { check; }
@test "r leaves as much room as --total does" { check; }
@test "s shows callers below and callees above one function" { check; }
@test "search finds callers, too, of a function in the middle" { check; }
@test "what has no counts is not among what was found in merged views" { check; }
@test "narrow frames are seen in merged views, too" { check; }
@test "views from the leaves tell and copy what is so of callers" { check; }
@test "o orders by weight and by input" { check; }
@test "a chart has what is called where its caller has come to" { check; }
@test "of frames with one path in a chart, the one that is zoomed stays" { check; }
@test "x hides a stack, and the rest is all" { check; }
@test "keys are about what is described, a pointer that rests or not" { check; }
@test "c copies a stack" { check; }
@test "details tell counts, shares and the function in all stacks" { check; }
@test "details have an interval where the samples are known" { check; }
@test "the interval is that of the samples that are left" { check; }
@test "recursion is counted once" { check; }
@test "the address keeps zoom, search and view, for any width" { check; }
@test "an address does not zoom in on what has no counts" { check; }
@test "a search of the address that is no regular expression is told" { check; }
@test "a picture that is drawn anew is loaded again, zoomed and searched as it was" { check; }
@test "a thin frame stays zoomed in a view from the leaves" { check; }
@test "the address keeps order, reverse, hidden stacks and sandwich" { check; }
@test "a diff has colours, changes, a legend and marks" { check; }
@test "a diff from the leaves has the change of what functions have of their own" { check; }
@test "a tested diff shows what was found, and all with a" { check; }
@test "a ratio keeps its colours and numbers in all views" { check; }
@test "l and clicks let classes of the legend stay bright" { check; }
@test "counts beyond 2^53 are exact" { check; }
@test "a stack 10,000 deep opens and zooms" { check; }
@test "hostile names stay text" { check; }
@test "two clicks in the heat map choose a range, whose samples are shown" { check; }
@test "a drag in the heat map, labels and a double click choose, too" { check; }
@test "keys choose ranges in the heat map, Esc shows all" { check; }
@test "zoom, search and order go on in a range, and the address keeps it" { check; }
@test "what --max-frames sums up is in the ranges" { check; }
@test "a drag in the timeline chooses a range, whose samples are shown" { check; }
@test "a thread is chosen in the timeline, and the address keeps it" { check; }
@test "keys choose a range in the timeline" { check; }
@test "the heat map is the other face of the timeline" { check; }
@test "the flame chart has calls from left to right, as long as the samples tell" { check; }
@test "the wheel and a drag move the window of the flame chart" { check; }
@test "the timeline is the minimap of the flame chart" { check; }
@test "a window that is a line in the minimap moves, and nothing else is drawn" { check; }
@test "fingers choose a range, move the flame chart and zoom" { check; }
@test "the source of a function has the share of each line" { check; }
@test "the source opens from a table, the menu, and by a finger" { check; }
@test "lines of a diff have their change, and hidden stacks no share" { check; }
@test "ten questions are answered in few actions" { check; }
@test "ten questions are answered by keys alone" { check; }
@test "axe-core finds nothing in any view" { check; }
@test "without scripts the timeline is there" { check; }
@test "dark where the page is dark, as an image too" { check; }
@test "nothing sticks out or overlaps at 420 pixels" { check; }
@test "a phone has the first frame within 95 pixels, and every tool in a menu" { check; }
@test "two pictures in a page do not disturb each other, or the page" { check; }
@test "two pictures in a dark page keep their colours" { check; }
@test "HTML pages work and keep their state" { check; }
@test "a page that a browser saved is as good as new" { check; }
@test "without scripts and styles the drawing is there, in colour" { check; }
@test "links are followed, and zoomed with Ctrl" { check; }
@test "the picture is named, and so is every frame" { check; }
@test "a hundred thousand frames: at most 8000 elements, all reachable" { check; }
@test "the first screen shows the root, however deep the stacks and large the window" { check; }
@test "without a canvas a large picture has elements for what is in sight only, and all of them in print" { check; }
@test "a large picture is on a canvas, in the colours that its elements have in print" { check; }
@test "keys reach every frame on a canvas, and a click zooms" { check; }
@test "the toolbar and the search stay in the window, and do what their keys do" { check; }
@test "a tooltip at the pointer has the name in full, counts and shares" { check; }
@test "the menu of a frame leads to what can be done with it" { check; }
@test "Esc and Back undo one step at a time, and never leave the page" { check; }
@test "the table has all functions, sorted and filtered, and leads to their callers" { check; }
@test "the table of a diff has counts before and after, and what was found" { check; }
@test "a table of many functions has few rows, and scrolls" { check; }
@test "labels keep the part of a name that tells, as the drawing has them" { check; }
@test "searches are kept, each in its colour and with its share" { check; }
@test "recursion collapses, callers hide, and Esc brings them back" { check; }
@test "recursion that makes the picture too high is collapsed from the start" { check; }
@test "the legend has the shares of the zoomed frame, of however many" { check; }
@test "what is searched is shown alone, or hidden" { check; }
@test "the call tree opens and closes, and leads to its frames" { check; }
@test "the title has room beside the toolbar, or above it" { check; }
