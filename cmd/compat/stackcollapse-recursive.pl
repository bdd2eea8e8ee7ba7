#!/bin/sh
# stackcollapse-recursive.pl - folded text without direct recursion.
here=$(readlink -f "$0") || exit 2
bin=$(readlink -f "${here%/*}/flamegraph.pl") || exit 2
exec "${bin%/*}/foldgrep" --collapse-recursion "$@"
