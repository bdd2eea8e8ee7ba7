#!/usr/bin/env bats
# debuginfod.bats - what stackcollapse-perf promises of --debuginfod.

load ../helper

setup() {
	export SYMFS=$BATS_TEST_TMPDIR/symfs files=$BATS_TEST_TMPDIR/files
	export RECORDING=$BATS_TEST_TMPDIR/inlined.data
	export DEBUGINFOD_CACHE_PATH=$BATS_TEST_TMPDIR/cache
	export DEBUGINFOD_URLS=http://127.0.0.1:1
	local program=$BATS_TEST_TMPDIR/inlined

	unset http_proxy all_proxy HTTP_PROXY ALL_PROXY
	python3 -c '' 2>/dev/null || skip "no python3 for a server"
	mkdir -p "$SYMFS/tmp/fold"
	xz -dc "$DATA/inline/inlined.xz" >"$program"
	xz -dc "$DATA/inline/inlined.data.xz" >"$RECORDING"
	objcopy -S "$program" "$SYMFS/tmp/fold/inlined"
	folder=$files/buildid/$(readelf -n "$program" |
		sed -n 's/.*Build ID: //p')
	mkdir -p "$folder"
	objcopy --only-keep-debug "$program" "$folder/debuginfo"
	cp "$SYMFS/tmp/fold/inlined" "$folder/executable"
	! fold --debuginfod 2>&1 | grep -q 'libdebuginfod.so' ||
		skip "no libdebuginfod"
}

teardown() {
	[ -z "${server-}" ] || kill "$server"
}

# serve PYTHON: begin a server of this machine, which prints its port first.
serve() {
	python3 -u -c "$1" "$files" >"$BATS_TEST_TMPDIR/port" \
		2>"$BATS_TEST_TMPDIR/log" 3>&- &
	server=$!
	until [ -s "$BATS_TEST_TMPDIR/port" ]; do
		kill -0 "$server"
		sleep 0.05
	done
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")
}

files_server='
import functools, http.server, sys
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
    functools.partial(http.server.SimpleHTTPRequestHandler,
                      directory=sys.argv[1]))
print(server.server_port)
server.serve_forever()
'

# It takes connections, and never answers.
silent_server='
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1])
time.sleep(600)
'

fold() {
	stackcollapse-perf --symfs "$SYMFS" "$@" "$RECORDING"
}

@test "debug files are fetched by build-id, and kept" {
	serve "$files_server"
	run -0 --separate-stderr fold --debuginfod
	[[ $output == *";main;call_[i];spin;"*";app::step_[i] "* ]]
	[[ $stderr == *"downloaded 1 file"* ]]
	grep -q "GET /buildid/${folder##*/}/debuginfo" "$BATS_TEST_TMPDIR/log"
	kill "$server"
	server=
	run -0 fold -q --debuginfod
	[[ $output == *";main;call_[i];spin;"* ]]
}

@test "programs that are not here are fetched too" {
	serve "$files_server"
	rm "$SYMFS/tmp/fold/inlined"
	run -0 --separate-stderr fold --debuginfod
	[[ $output == *";main;call_[i];spin;"* ]]
	[[ $stderr == *"downloaded 2 files"* ]]
}

@test "without --debuginfod no server is asked" {
	serve "$files_server"
	run -0 fold -q
	[[ $output == *";[inlined]"* ]]
	[ ! -s "$BATS_TEST_TMPDIR/log" ]
}

@test "what a server gives is taken only if it is what was asked for" {
	serve "$files_server"
	cp /bin/sh "$folder/debuginfo"
	run -0 fold -q --debuginfod
	[[ $output == *";[inlined]"* ]]
}

@test "a server that does not answer is waited for no longer than the limit" {
	serve "$silent_server"
	run -0 --separate-stderr fold --debuginfod --debuginfod-limit 1
	[[ $output == *";[inlined]"* ]]
	[[ $stderr == *"stopped downloading from debuginfod after 1 s"* ]]
	run -2 fold --debuginfod --debuginfod-limit 0
}

@test "a server that is not there is said" {
	run -0 --separate-stderr fold --debuginfod
	[[ $output == *";[inlined]"* ]]
	[[ $stderr == *"stopped downloading from debuginfod: "* ]]
}

@test "--debuginfod without DEBUGINFOD_URLS is status 2" {
	DEBUGINFOD_URLS='' run -2 --separate-stderr fold --debuginfod
	[[ $stderr == *"DEBUGINFOD_URLS names no server"* ]]
}
