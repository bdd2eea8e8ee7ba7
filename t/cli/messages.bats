#!/usr/bin/env bats
# messages.bats - what a message quotes may be of any length, a message not.

load ../helper

setup() {
	long=$(printf 'x(%.0s' {1..2500})
	cd "$BATS_TEST_TMPDIR" || return
}

# says_briefly WORDS COMMAND...: a failure with a message that has the words, and
# no line but the usage that is long.
says_briefly() {
	local words=$1 line

	shift
	run --separate-stderr -2 "$@" </dev/null
	[[ $stderr == *"$words"* ]]
	while read -r line; do
		[[ $line == usage:* ]] || [ ${#line} -lt 530 ] || {
			echo "${#line} characters by $1"
			return 1
		}
	done <<<"$stderr"
}

@test "arguments of 5,000 characters are cut in messages" {
	local c

	says_briefly 'too deeply nested at' foldgrep --frame "$long"
	says_briefly 'unknown option' foldmerge "--$long"
	says_briefly 'bad --width' flamegraph "--width=$long"
	says_briefly 'palette' foldcolor --colors "$long"
	says_briefly 'FOLDSTACK_LIMITS must be a list' \
		env FOLDSTACK_LIMITS="$long" foldmerge
	says_briefly '--limits must be a list' foldmerge --limits "$long"
	says_briefly 'unknown format' stackcollapse --format "$long"
	says_briefly 'foldexport' foldexport --to "$long"
	says_briefly 'foldsplit' foldsplit --by "$long"
	says_briefly 'stackcollapse-perf' stackcollapse-perf --only="$long"
	says_briefly 'stackcollapse-perf' stackcollapse-perf --jitdump="$long"
	says_briefly 'stackrecord' stackrecord -e "$long" true
	says_briefly 'jvmmap' jvmmap "$long"
	for c in folddiff foldexport foldmerge foldtop flamegraph jitsym \
		stackcollapse-gdb unflame; do
		says_briefly 'File name too long' "$c" "/$long"
	done
}

@test "the scripts cut their messages, too" {
	says_briefly 'flame: ' flame "--$long"
	says_briefly 'slowflame: ' slowflame "--$long"
	run -127 flame -- "./$long"
	[ ${#output} -lt 600 ]
}

@test "lines of 5,000 characters are cut in messages" {
	printf 'class a red\nrule a %s\n' "$long" >long.palette
	says_briefly 'long.palette:' foldcolor --colors ./long.palette plain
	printf 'code-creation,%s\n' "$long" >v8.log
	says_briefly 'stackcollapse-v8' stackcollapse-v8 v8.log
	printf '{"a": 1, "%s": ' "$long" >json
	printf '%s\n' "$long" >plain
	says_briefly 'no input could be parsed' foldmerge plain
	says_briefly 'json' stackcollapse-chrome json
}

@test "a message is cut between characters, and keeps its end" {
	local text

	text=$(printf 'ä%.0s' {1..2500})
	run -2 --separate-stderr foldgrep --frame "$text("
	iconv -f UTF-8 -t UTF-8 <<<"$stderr" >/dev/null
	[[ $stderr == *"ä...ä"*'missing closing parenthesis'* ]]
}
