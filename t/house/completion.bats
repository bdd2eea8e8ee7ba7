#!/usr/bin/env bats
# completion.bats - what shells complete.

load ../helper

# shellcheck source=/dev/null
source "$top_builddir/completion.bash"

# words WORD...: what bash offers for the last of them.
words() {
	complete_words "$@"
	echo "${COMPREPLY[@]}"
}

# complete_words WORD...: the same into COMPREPLY.  The function of the command
# is searched once: there are hundreds of options.
completed=
complete_words() {
	if [ "$completed" != "$1" ]; then
		completer=$(complete -p "$1")
		completer=${completer#* -F }
		completer=${completer%% *}
		completed=$1
	fi
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	"$completer" "$1"
}

@test "bash completes options, and words that they take" {
	[ "$(words flamegraph --dif)" = --diff-colors ]
	[ "$(words flamegraph --diff-colors s)" = self ]
	[ "$(words flamegraph --diff-colors = to)" = total ]
	[ "$(words flamegraph --colors jav)" = java ]
	[ "$(words foldmerge --counts '')" = "1 2" ]
	[ "$(words foldmerge --counts =)" = "1 2" ]
	[ "$(words flame --dw)" = --dwarf ]
	[ "$(words folddiff --rep)" = --report ]
	[ "$(words folddiff --report = t)" = "text tsv" ]
	[ -z "$(words folddiff --report t)" ]
	[ -z "$(words flamegraph --title '')" ]
	[ -z "$(words flamegraph '')" ]
}

@test "every option of every command is completed" {
	local command option

	for command in $(commands) flame; do
		complete -p "$command" >/dev/null 2>&1 || {
			# A reader, for stackcollapse.
			grep -qx "READERS += cmd/collapse/$command" \
				"$top_srcdir/Makefile.am"
			continue
		}
		for option in $("$command" --help=all |
			sed -n 's/^ *\(-., \)*\(--[a-z0-9-]*\)[[ ].*/\2/p'); do
			complete_words "$command" "$option"
			[[ " ${COMPREPLY[*]} " == *" $option "* ]]
		done
	done
}

@test "zsh reads its completions" {
	[ -n "$(command -v zsh)" ] || skip "no zsh"
	zsh -n "$top_builddir/completion.zsh"
	grep -qx '#compdef .*flamegraph.*' "$top_builddir/completion.zsh"
}

@test "fish completes options, and words that they take" {
	[ -n "$(command -v fish)" ] || skip "no fish"
	HOME=$BATS_TEST_TMPDIR run -0 fish -N -c "
		source '$top_builddir/completion.fish'
		complete -C 'flamegraph --format='
		complete -C 'foldmerge --files0'
		complete -C 'folddiff --report=t'"
	[[ $output == *--format=html* ]]
	[[ $output == *--files0-from* ]]
	[[ $output == *--report=text* && $output != *--report=t/* ]]
}
