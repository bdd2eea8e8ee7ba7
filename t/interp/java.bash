# java.bash - for tests of running JVMs.

# Each java that is here: that of the PATH, those in /usr/lib/jvm, and in JAVAS.
javas() {
	local file

	for file in $JAVAS $(type -P java) /usr/lib/jvm/*/bin/java; do
		[ ! -x "$file" ] || readlink -f "$file"
	done | sort -u
}

# grammar_of FILE: count stacks into all, bad and cut.
grammar_of() {
	read -r all bad cut < <(awk -v VERBOSE=1 -f "$HERE/hotspot_grammar.awk" \
		"$1" 2>"$BATS_TEST_TMPDIR/wrong")
}

# The counts are of few enough wrong stacks, and stacks without a root.
grammar_holds() {
	echo "# $*: $all samples, $bad wrong, $cut without a root"
	[ ! -s "$BATS_TEST_TMPDIR/notes" ] ||
		echo "# $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/notes")"
	cut -c 1-300 "$BATS_TEST_TMPDIR/wrong" | head -n 5
	[ "$bad" -le $((all / 1000)) ]
	[ "$cut" -le $((all / 50)) ]
}

# grammar JAVA OPTION...: Grammar has stacks that it can have, by the test's own
# enough_samples(), which appends to the file "folded" and calls grammar_of().
grammar() {
	local all bad cut

	start "$@" -Xmx300m -cp "$BATS_FILE_TMPDIR" Grammar
	: >"$BATS_TEST_TMPDIR/folded"
	SECONDS=0
	within_minutes enough_samples
	stop
	grammar_holds "$@"
}
