# grammar_php.awk - count stacks of grammar.php, those that it cannot have, and
# those that are not merged; input is what stacksample --no-native --folded
# prints.
BEGIN {
	n = split("w0>w1 w1>array_map w1>array_sum w1>range array_map>w2 " \
		"w2>usort usort>{closure} {closure}>w3 w3>w4 w4>delegated " \
		"delegated>w5 w5>Thing::__get w5>Thing::__construct " \
		"Thing::__get>call_user_func call_user_func>Thing::w6 " \
		"Thing::__get>Thing::w6 Thing::w6>w7 w7>Fiber::start " \
		"w7>Fiber::resume Fiber::start>w8 Fiber::resume>w8 w7>w8 " \
		"w7>class_exists w7>Fiber::__construct w7>Fiber::getReturn " \
		"w8>class_exists w8>Fiber::suspend w8>w9 w8>rec rec>rec " \
		"rec>leaf main>w0 grammar.php>main", pair, " ")
	for (i = 1; i <= n; i++)
		legal[pair[i]] = 1
	legal["grammar.php"] = 1
}
!/^#/ && NF > 0 {
	count = $NF
	sub(/ [0-9]+$/, "")
	gsub(/[{]closure[^;]*/, "{closure}")
	unmerged = /;\[unmerged\]/
	gsub(/;\[(moving|truncated)\]/, "")
	gsub(/ \([^()]*\)/, "")
	n = split($0, frame, ";")
	wrong = recs = 0
	for (i = 2; i <= n; i++) {
		name = frame[i]
		sub(/.*\//, "", name)
		recs += name == "rec"
		if (!((i == 2 ? name : last ">" name) in legal))
			wrong = 1
		last = name
	}
	if (recs > 51 || (last == "leaf" && recs != 51))
		wrong = 1
	all += count
	if (unmerged)
		other += count
	if (wrong && !unmerged) {
		bad += count
		print "wrong: " $0 >"/dev/stderr"
	}
}
END {
	print all + 0, bad + 0, other + 0
}
