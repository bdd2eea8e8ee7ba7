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

# check FILE...: no value is used as one of another type.
check() {
	node "$dir/node_modules/typescript/bin/tsc" --noEmit --allowJs --checkJs \
		--strict --noImplicitAny false --strictNullChecks false \
		--noImplicitReturns --noUnusedLocals \
		--target es2022 --lib esnext,dom,dom.iterable \
		"$top_srcdir/t/browser/viewer.d.ts" "$@"
}

@test "values are used as what they are" {
	check "$top_builddir/lib/svg/flame.js" "$top_srcdir"/lib/svg/{heat,timegrid,time}.js
}

@test "a number in the place of an element is found" {
	sed "s/= part('frames');/= 3;/" "$top_builddir/lib/svg/flame.js" \
		>"$BATS_TEST_TMPDIR/wrong.js"
	run ! check "$BATS_TEST_TMPDIR/wrong.js"
	[[ $output == *"does not exist on type '3'"* ]]
}
