#!/usr/bin/env bats
# site.bats - the pages that "make html" renders: every link leads somewhere.

load ../helper

setup_file() {
	command -v mandoc >/dev/null || skip "no mandoc"
	"$top_srcdir/build-aux/site" "$BATS_FILE_TMPDIR/site"
}

setup() {
	cd "$BATS_FILE_TMPDIR/site" || return
}

# links [FILE...]: "FILE TARGET" for every link of the pages.
links() {
	grep -oE '(href|src)="[^"]*"' /dev/null "$@" |
		sed -E 's/:(href|src)="/ /; s/"$//' | sort -u
}

# check_links [FILE...]: print the links that lead nowhere, or to the network.
check_links() {
	local from target page id failed=0

	while read -r from target; do
		page=${target%%#*} id=
		[[ $target != *#* ]] || id=${target#*#}
		[ -n "$page" ] || page=$from
		if [[ $page == *:* || $page == //* ]] || [ ! -s "$page" ] ||
			{ [ -n "$id" ] && ! grep -qF "id=\"$id\"" "$page"; }; then
			echo "$from: $target"
			failed=1
		fi
	done < <(links "$@")
	return $failed
}

@test "every link of every page leads to a page, and to a place in it" {
	[ "$(links ./*.html | wc -l)" -gt 300 ]
	check_links ./*.html
}

@test "a link that leads nowhere is found" {
	mkdir -p "$BATS_TEST_TMPDIR/bad"
	cd "$BATS_TEST_TMPDIR/bad"
	echo '<p id="a"><a href="#a">' >good.html
	echo '<a href="good.html#b">' >place.html
	echo '<a href="nix.html">' >page.html
	echo '<script src="https://example.org/a.js">' >network.html
	check_links good.html
	for page in place page network; do
		run -1 check_links $page.html
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "every manual has a page, which the list of manuals links" {
	local manual page

	for manual in "$top_srcdir"/cmd/*.1 "$top_srcdir"/cmd/collapse/*.1 \
		"$top_srcdir"/man/*.[57]; do
		page=${manual##*/}.html
		grep -q 'id="NAME"' "$page"
		grep -qF "href=\"$page\"" manuals.html
	done
}

@test "every page of doc/ is there, with its tables, and links to the others" {
	local doc page

	command -v lowdown >/dev/null || skip "no lowdown"
	for doc in "$top_srcdir"/doc/*.md; do
		page=${doc##*/}
		page=${page%.md}.html
		grep -q '</h1>' "$page"
		grep -qF "href=\"$page\"" documents.html
		run ! grep -E 'href="[^"]*\.md["#]' "$page"
	done
	grep -q '<table>' measurements.html
	grep -qF 'href="diffs.html"' ci.html
	grep -qF 'href="folddiff.1.html"' diffs.html
}

@test "the pages load nothing from the network" {
	run ! grep -lE '(src|srcset|action)="?(https?:)?//|@import|url\(' \
		./*.html style.css
	run ! grep -lE '<link[^>]*href="[^"]*:' ./*.html
}

@test "the gallery shows each picture beside the command that drew it" {
	local picture

	for picture in *.svg; do
		xmllint --noout "$picture"
		grep -qF "<iframe src=\"$picture\"" gallery.html
		grep -qF " &gt; $picture</pre>" gallery.html
	done
	[ -s cpu.svg ] && [ -s diff.svg ]
}

@test "pictures are live in a browser" {
	local chromium

	need_plain "a browser does not see whether sanitizers are built in"
	chromium=$(command -v chromium || command -v chromium-browser) ||
		skip "no chromium"
	HOME=$BATS_TEST_TMPDIR run "$chromium" --headless --no-sandbox \
		--disable-gpu --virtual-time-budget=20000 \
		--dump-dom "file://$PWD/cpu.svg"
	[[ $output == *'<svg'* ]] || skip "no browser starts"
	# The script makes the toolbar.
	[[ $output == *'Bottom-up'* ]]
	[[ $(<cpu.svg) != *'>Bottom-up<'* ]]
}
