# grammar_perl.awk - count stacks of grammar.pl that it cannot have; input is
# what stacksample --no-native --folded prints.
BEGIN {
	n = split("main::RUNTIME;main::w0|main::w0;main::w1|" \
		"main::w1;main::w2|main::w2;main::__ANON__|" \
		"main::__ANON__;main::w3|main::w3;main::w4|main::w4;(eval)|" \
		"(eval);main::w5|main::w5;Thing::new|main::w5;Thing::w6|" \
		"Thing::w6;main::w7|main::w7;main::__ANON__|" \
		"main::__ANON__;main::w8|main::w8;main::w9|" \
		"main::w8;main::rec|main::rec;main::rec|main::rec;main::leaf",
		pair, "|")
	for (i = 1; i <= n; i++)
		legal[pair[i]] = 1
	legal["main::RUNTIME"] = 1
}
!/^#/ && NF > 0 {
	count = $NF
	sub(/ [0-9]+$/, "")
	sub(/;\[moving\]$/, "")
	n = split($0, frame, ";")
	wrong = recs = 0
	root = 2 + (frame[2] == "[unmerged]")
	for (i = root; i <= n; i++) {
		name = frame[i]
		sub(/\[.*/, "", name)
		sub(/ \(.*\)$/, "", name)
		recs += name == "main::rec"
		key = i == root ? name : last ";" name
		if (!(key in legal)) {
			wrong = 1
			print "wrong: " key " in " $0 >"/dev/stderr"
		}
		last = name
	}
	if (recs > 51 || (last == "main::leaf" && recs != 51))
		wrong = 1
	all += count
	bad += wrong ? count : 0
}
END {
	print all + 0, bad + 0
}
