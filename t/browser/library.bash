# shellcheck shell=bash
# library.bash - what the tests of pictures need from npm.

# Install into a folder the versions that package-lock.json names.
library() {
	local package missing=

	for package in playwright-core typescript axe-core; do
		[ -d "$1/node_modules/$package" ] || missing=$package
	done
	[ -n "$missing" ] || return 0
	command -v npm >/dev/null || return 1
	mkdir -p "$1" || return 1
	[ "$1/package.json" -ef "$top_srcdir/t/browser/package.json" ] ||
		cp "$top_srcdir"/t/browser/package*.json "$1" || return 1
	(cd "$1" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund)
}
