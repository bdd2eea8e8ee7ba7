# jstack.awk - what threads wait for by "jstack -l", a line for each thread whose
# name begins with "w-": name, kind, class and owner, as waits.awk has them.

function slashed(class) {
	gsub(/\./, "/", class)
	return class
}

/^"/ {
	split($0, part, "\"")
	name = part[2]
}

/Thread\.State: .*\(sleeping\)/ { kind[name] = "sleep" }
/Thread\.State: .*\(parking\)/ { kind[name] = "park" }
/Thread\.State: .*\(on object monitor\)/ { kind[name] = "object-wait" }
/Thread\.State: BLOCKED/ { kind[name] = "lock" }

match($0, /<0x[0-9a-f]+> \(a [^)]*\)/) {
	text = substr($0, RSTART, RLENGTH)
	address = substr(text, 1, index(text, ">"))
	class = slashed(substr(text, index(text, "(a ") + 3))
	sub(/\)$/, "", class)
	if ($0 ~ /- (waiting to lock|parking to wait for|waiting on)/) {
		waits[name] = address
		of[name] = class
	} else if ($0 ~ /- locked/ || $1 == "-") {
		owner[address] = name
	}
}

END {
	for (name in kind) {
		if (name !~ /^w-/)
			continue
		held = name in waits ? owner[waits[name]] : ""
		if (held == name)
			held = ""
		if (held != "")
			kind[name] = "lock"
		print name, kind[name], name in of ? of[name] : "-",
		    held == "" ? "-" : held
	}
}
