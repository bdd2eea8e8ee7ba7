# python.bash - for tests of Python in running processes: runs each CPython that
# is here and is supported.

setup() {
	need_process_side
	need_native
	export PYTHONIOENCODING=utf-8
}

# The interpreters, one of each file: those of the PATH, and pyenv's.
pythons() {
	local file home

	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	for file in /usr/bin/python3.* /usr/local/bin/python3.* \
		"$home"/.pyenv/versions/*/bin/python3.*; do
		[[ $file =~ /python3\.[0-9]+$ && -x $file ]] || continue
		"$file" -c 'import sys, faulthandler
sys.exit(not (3, 6) <= sys.version_info < (3, 15))' 2>/dev/null &&
			readlink -f "$file"
	done | sort -u
}

# Python 2.7, which has no faulthandler.
old_python() {
	local home

	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	find "$home"/.pyenv/versions/2.7.*/bin -name python2.7 2>/dev/null |
		head -n 1
}

# need_python: skip without an interpreter.
need_python() {
	[ -n "$(pythons)" ] || skip "no CPython that is supported"
}
