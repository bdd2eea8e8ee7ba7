#!/usr/bin/env bats
# types.bats - the types of the script in pictures, as tsc infers them.

load ../helper
load ../browser/library

setup() {
	dir=$top_builddir/t/browser
	command -v node >/dev/null || skip 'no node'
	library "$dir" >"$BATS_TEST_TMPDIR/npm" 2>&1 ||
		skip 'typescript cannot be installed'
}

# check FILE...: no value is used as one of another type.  What is left out of
# strict for the viewer is in $loose.
loose='--noImplicitAny false'
check() {
	# shellcheck disable=SC2086 # options
	node "$dir/node_modules/typescript/bin/tsc" --noEmit --allowJs --checkJs \
		--strict $loose --strictNullChecks false \
		--noImplicitReturns --noUnusedLocals \
		--target es2022 --lib esnext,dom,dom.iterable \
		"$top_srcdir/t/browser/viewer.d.ts" "$@"
}

@test "values are used as what they are" {
	check "$top_builddir/lib/svg/flame.js" "$top_srcdir"/lib/svg/{heat,timegrid,time}.js
}

@test "everything has a type in the timeline" {
	loose=
	check "$top_srcdir"/lib/svg/{timegrid,time}.js
	sed 's/@param {number} i /@param i /' "$top_srcdir/lib/svg/time.js" \
		>"$BATS_TEST_TMPDIR/untyped.js"
	run ! check "$top_srcdir/lib/svg/timegrid.js" "$BATS_TEST_TMPDIR/untyped.js"
	[[ $output == *"'i' implicitly has an 'any' type"* ]]
}

@test "a control that nobody makes is found" {
	sed 's/ui\.kept\.style/ui.kpet.style/' "$top_builddir/lib/svg/flame.js" \
		>"$BATS_TEST_TMPDIR/wrong.js"
	run ! check "$BATS_TEST_TMPDIR/wrong.js"
	[[ $output == *"Property 'kpet' does not exist on type 'Ui'"* ]]
}

@test "a number in the place of an element is found" {
	sed "s/= part('frames');/= 3;/" "$top_builddir/lib/svg/flame.js" \
		>"$BATS_TEST_TMPDIR/wrong.js"
	run ! check "$BATS_TEST_TMPDIR/wrong.js"
	[[ $output == *"does not exist on type '3'"* ]]
}
