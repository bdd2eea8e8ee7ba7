#!/usr/bin/env bats
# symbols.bats - lib/elf, symtab, kallsyms, perfmap and demangle, against the
# tools of binutils and elfutils.

load ../helper

setup() {
	elfsyms=$top_builddir/t/elf/elfsyms
	[ -x "$elfsyms" ] || skip "t/elf/elfsyms is not built"
	cd "$BATS_TEST_TMPDIR" || return
}

# need COMMAND...: skip without them.
need() {
	local command

	for command; do
		command -v "$command" >/dev/null || skip "no $command"
	done
}

# A program with functions of several kinds.
program() {
	need "${CC:-cc}"
	cat >program.c <<-'END'
	#include <stdlib.h>
	#include <string.h>

	int visible(int n) { return n + 1; }
	static __attribute__((noinline)) int hidden(int n) { return n * n; }
	int alias(int) __attribute__((alias("visible")));
	int weak(int) __attribute__((weak, alias("visible")));
	__asm__(".text\n.globl label\nlabel:\nlonger_label:\n\tnop\n\tret\n");

	int
	main(int argc, char *argv[])
	{
		char *p = strdup(argv[0]);

		argc += hidden(visible(argc)) + (int)strlen(p);
		__asm__ volatile("inner_label: nop");
		free(p);
		return argc == 0;
	}
	END
	"${CC:-cc}" -g -O1 "$@" -o program program.c
}

# The functions nm knows in a file: address, size and name; those without a
# size have none.
nm_functions() {
	nm -S "$@" | awk 'NF == 4 && $3 ~ /^[TtWwi]$/ {
		sub(/^0+/, "", $1); sub(/^0+/, "", $2); print $1, $2, $4
	}' | sort -u
}

our_functions() {
	"$elfsyms" "$@" | awk '{ sub(/^0+/, "", $1); print $1, $2, $3 }' |
		sort -u
}

# Of several names at one address we have one.
one_of_theirs() {
	awk 'NR == FNR { theirs[$1] = theirs[$1] " " $2 ":" $3 " "; next }
	$1 in theirs && index(theirs[$1], " " $2 ":" $3 " ") == 0 {
		print "not in nm: " $0; bad = 1
	}
	{ ours[$1] = 1 }
	END {
		for (a in theirs)
			if (!(a in ours)) {
				print "only in nm: " a theirs[a]; bad = 1
			}
		exit bad
	}' theirs ours
}

@test "exported symbols are found by the hash table, and no others" {
	local libc

	need nm ldd
	# Names with one value: of versions, any may be found.
	libc=$(ldd "$(command -v cat)" | awk '/libc\./ { print $3 }')
	[ -n "$libc" ] || skip "no libc.so"
	nm -D --defined-only "$libc" >all
	awk 'NF == 3 { sub(/@.*/, "", $3); n[$3]++; at[$3] = $1 }
		END { for (s in n) if (n[s] == 1) print at[s], s }' all |
		sort >expected
	[ "$(wc -l <expected)" -gt 500 ]
	awk '{ print $2 }' expected |
		"$elfsyms" -e "$libc" | sort >found
	cmp expected found
	printf '%s\n' no_such_function printf_ '' >absent
	run -0 "$elfsyms" -e "$libc" <absent
	[ "$output" = "$(sed 's/^/? /' absent)" ]
}

@test "the functions of a file are those nm has, with their sizes" {
	need nm awk
	program
	nm_functions program >theirs
	our_functions program >ours
	[ -s theirs ]
	one_of_theirs
}

@test "the C library's functions are those nm has" {
	local libc

	need nm awk
	libc=$(ldd "$elfsyms" | awk '$1 == "libc.so.6" { print $3 }')
	[ -e "$libc" ] || skip "no libc.so.6"
	nm_functions -D "$libc" | sed 's/@.*//' | sort -u >theirs
	our_functions -D /nowhere "$libc" | grep -v '@plt$' >ours
	[ "$(wc -l <theirs)" -gt 1000 ]
	one_of_theirs
}

@test "of names at one address the global, then the longer one is taken" {
	program
	run -0 "$elfsyms" program
	[[ $output == *" visible"* ]]
	[[ $output != *" alias"* && $output != *" weak"* ]]
}

@test "a label without a size is a function, up to the next symbol" {
	program
	run -0 "$elfsyms" program
	[[ $output == *" label"* && $output != *"longer_label"* ]]
}

@test "a label without a size in the midst of a function is no other one" {
	local inner main

	program
	inner=$(nm program | awk '$3 == "inner_label" { print $1 }')
	main=$(nm program | awk '$3 == "main" { print $1 }')
	run -0 "$elfsyms" -a program "$inner"
	[ "$output" = "main+0x$(printf '%x' $((16#$inner - 16#$main)))" ]
}

@test "code that is an object to the linker, as of Haskell's, has its name" {
	need "${CC:-cc}"
	cat >object.c <<-'END'
	__asm__(".text\n.globl table_info\n.type table_info, %object\n"
		".quad 7\ntable_info:\n\tnop\n\tnop\n"
		".size table_info, 2\n"
		".globl as_function\n.type as_function, %function\n"
		".globl as_object\n.type as_object, %object\n"
		"as_function:\nas_object:\n\tnop\n"
		".size as_function, 1\n.size as_object, 1\n");
	int variable = 3;
	int main(void) { return 0; }
	END
	"${CC:-cc}" -o object object.c
	run -0 "$elfsyms" object
	[[ $output == *" 2 table_info"* && $output == *" 1 as_function"* ]]
	[[ $output != *as_object* && $output != *variable* ]]
}

@test "an address is in the function that covers it, and in no other" {
	local start size

	program
	read -r start size _ < <("$elfsyms" program | grep ' hidden$')
	run -0 "$elfsyms" -a program "$start" \
		"$(printf '%x' $((16#$start + 16#$size - 1)))" 0
	[ "${lines[0]}" = hidden+0x0 ]
	[ "${lines[1]}" = "hidden+0x$(printf '%x' $((16#$size - 1)))" ]
	[ "${lines[2]}" = "?" ]
}

@test "symbols that share one long name take no memory for each" {
	need as ld
	# Each name is the end of the one before: linkers keep the first alone.
	awk 'BEGIN {
		name = "a"
		while (length(name) < 4096)
			name = name name
		for (i = 1; i <= 4096; i++) {
			print ".type " substr(name, i) ", @function"
			print substr(name, i) ": nop"
		}
	}' </dev/null >long.s
	as -o long.o long.s
	ld -e 0 -o long long.o
	run -0 "$elfsyms" long
	[ "${#lines[@]}" -gt 100 ]
	[ "${#lines[@]}" -lt 2000 ]
	[ "${#output}" -lt $((20 * $(stat -c %s long))) ]
}

@test "an offset in a file becomes the address of its segment" {
	local offset address

	need readelf
	program
	read -r offset address < <(readelf -lW program |
		awk '$1 == "LOAD" && / R E / { print $2, $3 }')
	run -0 "$elfsyms" -o program "$offset" \
		"$(printf '%x' $((offset + 5)))" ffffffff
	[ $((16#${lines[0]})) -eq $((address)) ]
	[ $((16#${lines[1]})) -eq $((address + 5)) ]
	[ "${lines[2]}" = "?" ]
}

@test "the build-id is that of the file" {
	need readelf
	program -Wl,--build-id
	run -0 "$elfsyms" -b program
	[ -n "$output" ]
	readelf -n program | grep -q "Build ID: $output\$"
}

# objdump names PLT entries by the same rule.
same_plt() {
	objdump -d -j .plt -j .plt.sec -j .plt.got program 2>/dev/null |
		sed -n 's/^0*\([0-9a-f]*\) <\([^*>]*@plt\)>:/\1 \2/p' |
		sort -u >theirs
	"$elfsyms" program | sed -n 's/^0*\([0-9a-f]*\) [0-9a-f]* \(.*@plt\)$/\1 \2/p' |
		sort -u >ours
	echo "# $*: $(wc -l <theirs) entries"
	[ -s theirs ] && diff theirs ours
}

@test "entries of the PLT are named as objdump names them" {
	need objdump
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "PLTs of $(uname -m) are not read" ;;
	esac
	program -Wl,-z,lazy
	same_plt lazy
	program -Wl,-z,now
	same_plt now
	if [ "$(uname -m)" = x86_64 ]; then
		program -fcf-protection -Wl,-z,ibtplt -Wl,-z,lazy
		objdump -d -j .plt.sec program | grep -q '@plt>:' ||
			skip "no .plt.sec made here"
		objdump -d -j .plt.sec program |
			sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:/\1 \2/p' >theirs
		"$elfsyms" program | sed 's/^0*//; s/ [^ ]* / /' >ours
		[ -s theirs ]
		[ -z "$(sort theirs ours | uniq -d | comm -13 - <(sort theirs))" ]
	fi
}

# chosen FLAG...: a program that calls, by a PLT, what is chosen at its start.
chosen() {
	cat >chosen.c <<-'END'
	static int one(void) { return 1; }
	static int (*choose(void))(void) { return one; }
	int plain(void) __attribute__((ifunc("choose"), visibility("hidden")));
	int __alias(void) __attribute__((ifunc("choose"), visibility("hidden")));
	int main(void) { return plain(); }
	END
	"${CC:-cc}" -O1 "$@" -o chosen chosen.c 2>/dev/null
}

# The entry that main calls, by its disassembler, is that of the function.
calls_chosen() {
	local at

	at=$(objdump -d --no-show-raw-insn chosen |
		awk '/<main>:$/ { main = 1 } /^$/ { main = 0 }
			main && $2 ~ /^(call|callq|jmp)$/ { print $3; exit }')
	run -0 "$elfsyms" -a chosen "$at"
	[ "$output" = plain@plt+0x0 ]
}

@test "entries of the PLT for what is chosen at the start have its name" {
	local options made=0

	need objdump
	[ "$(uname -m)" = x86_64 ] || skip "PLTs of others are not read so"
	for options in "" -static "-fcf-protection -static" -fuse-ld=lld \
		"-fuse-ld=lld -static" -fuse-ld=gold -fuse-ld=mold; do
		# shellcheck disable=SC2086 # words
		chosen $options || continue
		echo "$options"
		calls_chosen
		made=$((made + 1))
	done
	((made > 0)) || skip "no IFUNC here"
}

@test "entries of mold's PLT have the names of what they call" {
	need "${CC:-cc}" mold objdump strip
	[ "$(uname -m)" = x86_64 ] || skip "PLTs of others are not read so"
	program -fuse-ld=mold -Wl,-z,lazy
	strip program
	run -0 "$elfsyms" program
	[[ $output == *" 10 strdup@plt"* && $output == *" 10 free@plt"* ]]
}

# go_program VERSION SECTION,FLAGS [OPTION...]: t/elf/go.S, stripped.
go_program() {
	need "${CC:-cc}"
	[ "$(uname -m)" = x86_64 ] || skip "the functions are of x86-64"
	"${CC:-cc}" -nostdlib -Wl,-s "-DGO=${1#1.}" "-DTABLE=$2" "${@:3}" \
		-o go "$top_srcdir/t/elf/go.S"
}

@test "functions of Go have names and rules in stripped programs" {
	local text version

	need objdump
	for version in 1.16 1.18 1.20; do
		go_program $version '.gopclntab,"a"' -static -no-pie \
			-Wl,-Ttext=0x1000
		run -0 "$elfsyms" go
		[ "${lines[0]}" = "0000000000001010 10 main.one" ]
		[ "${lines[1]}" = "0000000000001020 1 main.(*T[...]).two" ]
		run -0 "$elfsyms" -f go <<<$'1010\n1014\n1019\n101d\n1020'
		[ "$output" = $'7+8 c-8\n7+32 c-8\n7+32 c-8\n7+8 c-8\n7+8 u' ]
	done
	go_program 1.20 '.data.rel.ro.gopclntab,"aw"' -static-pie
	run -0 "$elfsyms" go
	text=$(objdump -d go | sed -n 's/^ *\([0-9a-f]*\):.*sub .*/\1/p')
	[[ $output == *"$text 10 main.one"* ]]
}

# split: the debug information of program goes to program.debug.
split() {
	objcopy --only-keep-debug program program.debug
	strip program
}

@test "symbols come from the debug file of the build-id" {
	local id

	need objcopy strip
	program -Wl,--build-id
	our_functions program >whole
	split
	run -0 "$elfsyms" -s program
	[ "$output" = dynsym ] || [ "$output" = none ]
	id=$("$elfsyms" -b program)
	mkdir -p "debug/.build-id/${id:0:2}"
	mv program.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	run -0 "$elfsyms" -D "$PWD/debug" -s program
	[ "$output" = debug ]
	diff whole <(our_functions -D "$PWD/debug" program)
}

@test "symbols of what was stripped come from perf's copy of it" {
	local id copy

	need strip
	program -Wl,--build-id
	our_functions program >whole
	id=$("$elfsyms" -b program)
	copy=.debug/.build-id/${id:0:2}/${id:2}
	mkdir -p "$copy"
	cp program "$copy/elf"
	strip program
	run -0 "$elfsyms" -C "$PWD/.debug" -s program
	[ "$output" = debug ]
	diff whole <(our_functions -C "$PWD/.debug" program)
	# One that was stripped, too, or is another one, is of no help.
	cp "$copy/elf" "$copy/debug"
	strip "$copy/elf"
	diff whole <(our_functions -C "$PWD/.debug" program)
	rm "$copy/debug"
	run -0 "$elfsyms" -C "$PWD/.debug" -s program
	[ "$output" != debug ]
	program -Wl,--build-id -DOTHER -O0
	cp program "$copy/elf"
	program -Wl,--build-id
	strip program
	run -0 "$elfsyms" -C "$PWD/.debug" -s program
	[ "$output" != debug ]
}

@test "a debug file of another build-id is not taken" {
	local id

	need objcopy strip
	program -Wl,--build-id
	split
	id=$("$elfsyms" -b program)
	mkdir -p "debug/.build-id/${id:0:2}"
	program -Wl,--build-id -DOTHER -O0
	mv program "debug/.build-id/${id:0:2}/${id:2}.debug"
	program -Wl,--build-id
	strip program
	run -0 "$elfsyms" -D "$PWD/debug" -s program
	[ "$output" != debug ]
}

@test "symbols come from the debug file of the link, if its CRC is right" {
	need objcopy strip
	program -Wl,--build-id=none
	our_functions program >whole
	split
	objcopy --add-gnu-debuglink=program.debug program
	run -0 "$elfsyms" -s "$PWD/program"
	[ "$output" = debug ]
	diff whole <(our_functions "$PWD/program")
	mkdir .debug
	mv program.debug .debug
	run -0 "$elfsyms" -s "$PWD/program"
	[ "$output" = debug ]
	printf x >>.debug/program.debug
	run -0 "$elfsyms" -s "$PWD/program"
	[ "$output" != debug ]
}

@test "mini-debuginfo is joined with the dynamic symbols" {
	need objcopy strip nm xz
	program -rdynamic
	nm_functions program | awk '{ print $3 }' | sort >all
	nm -D program --defined-only | awk '{ print $3 }' | sort >dynamic
	comm -23 all dynamic >keep
	objcopy -S --remove-section .comment --keep-symbols=keep program mini
	xz mini
	objcopy --add-section .gnu_debugdata=mini.xz program
	strip program
	run -0 "$elfsyms" -s program
	[ "$output" = minidebug ]
	run -0 "$elfsyms" program
	[[ $output == *" hidden"* && $output == *" visible"* ]]
}

@test "mini-debuginfo that is mostly nothing is left as it is" {
	local size

	need objcopy strip xz
	program
	strip -o bare program
	for size in 10K 10M; do
		cp program mini
		truncate -s +$size mini
		# Several blocks, and one.
		xz -f --block-size="$([ $size = 10K ] && echo 4K || echo 20M)" mini
		objcopy --add-section .gnu_debugdata=mini.xz bare packed
		run -0 "$elfsyms" -s packed
		if [ $size = 10K ]; then
			[ "$output" = minidebug ]
		else
			[ "$output" != minidebug ]
		fi
	done
}

@test "below --symfs is where files are found" {
	program
	mkdir -p fs/usr/bin
	mv program fs/usr/bin/symbols-test
	run -1 "$elfsyms" -s /usr/bin/symbols-test
	run -0 "$elfsyms" -S "$PWD/fs" -s /usr/bin/symbols-test
	[ "$output" = symtab ]
}

@test "what is no ELF file is refused, and a FIFO does not block" {
	mkfifo fifo
	echo hello >text
	: >empty
	for file in fifo text empty . /dev/zero missing; do
		run -1 timeout 5 "$elfsyms" "$file"
	done
}

# Names, each with what a demangler of others' makes of it.
@test "names of C++ are demangled as c++filt does without parameters" {
	need c++filt "${CXX:-c++}" nm
	cat >names.cc <<-'END'
	#include <functional>
	#include <map>
	#include <string>
	#include <vector>
	namespace { struct local { local(); ~local(); int m(int) const; }; }
	local::local() {}
	local::~local() {}
	int local::m(int n) const { return n; }
	template <class T, int N> struct box { T operator[](int) const; };
	template <class T, int N> T box<T, N>::operator[](int n) const {
		return T(n + N);
	}
	template struct box<long, 3>;
	std::map<std::string, std::vector<int>> table;
	void operator*(local, int) {}
	int main() {
		std::function<int(int)> f = [](int n) { return n; };
		table["x"].push_back(f(local().m(1)));
	}
	END
	"${CXX:-c++}" -o names names.cc
	nm names | awk '$3 ~ /^_Z/ { print $3 }' | sort -u >mangled
	[ "$(wc -l <mangled)" -gt 50 ]
	c++filt -p <mangled >theirs
	"$elfsyms" -d <mangled >ours
	diff theirs ours
}

@test "names of Rust and D are demangled, and others left alone" {
	run -0 "$elfsyms" -d <<-'END'
	_ZN3foo3bar17h05af221e174051e9E
	_RNvC6_123foo3bar
	_RINvCs1234_7mycrate3fooNtB2_3BarE
	_D3std5stdio7writelnFAyaZv
	_Dmain
	main
	_Z
	_start
	_ZdlPv@plt
	END
	[ "${lines[0]}" = foo::bar ]
	[ "${lines[1]}" = 123foo::bar ]
	[ "${lines[2]}" = "mycrate::foo::<mycrate::Bar>" ]
	[[ ${lines[3]} == std.stdio.writeln* ]]
	[ "${lines[4]}" = "D main" ]
	[ "${lines[5]}" = main ]
	[ "${lines[6]}" = _Z ]
	[ "${lines[7]}" = _start ]
	[ "${lines[8]}" = "operator delete@plt" ]
}

# Names as gdc makes them, and two of old compilers, each with what it is.
@test "names of OCaml are demangled as perf does it" {
	run -0 "$elfsyms" -d <<-'END'
	camlStdlib__List__fold_left_275
	camlA__$2b$2b$2b_90
	camlA__x$27_95
	camlA__$zz$0a$
	camlA
	caml
	caml_program
	camlimages
	camlA__$2b
	camlA__x$2
	END
	[ "${lines[0]}" = Stdlib.List.fold_left_275 ]
	[ "${lines[1]}" = A.+++_90 ]
	[ "${lines[2]}" = "A.x'_95" ]
	# shellcheck disable=SC2016 # of OCaml
	[ "${lines[3]}" = 'A.$zz$0a$' ]
	[ "${lines[4]}" = A ]
	[ "${lines[5]}" = caml ]
	[ "${lines[6]}" = caml_program ]
	[ "${lines[7]}" = camlimages ]
	[ "${lines[8]}" = A.+ ]
	# shellcheck disable=SC2016 # of OCaml
	[ "${lines[9]}" = 'A.x$2' ]
}

# Names as gfortran makes them, with what gdb prints; then names of C.
@test "procedures of Fortran modules are named as by gdb, and C is left alone" {
	local name expected

	while read -r name expected; do
		run -0 "$elfsyms" -d <<<"$name"
		[ "$output" = "$expected" ]
	done <<-'END'
	__shapes_MOD_area shapes::area
	__points.points_impl_MOD_hidden points.points_impl::hidden
	__shapes_MOD___copy_shapes_Shape shapes::__copy_shapes_Shape
	__shapes_MOD_area.constprop.0 shapes::area
	__shapes_MOD_area@plt shapes::area@plt
	__a_mod_2_MOD_b_mod_c a_mod_2::b_mod_c
	__a_MOD_b_MOD_c a::b_MOD_c
	__shapes_MOD_ __shapes_MOD_
	__shapes_MOD_area-x __shapes_MOD_area-x
	__shapes_MOD_2d __shapes_MOD_2d
	__Shapes_MOD_area __Shapes_MOD_area
	__2d_MOD_area __2d_MOD_area
	___MOD_area ___MOD_area
	__.a_MOD_b __.a_MOD_b
	__a._MOD_b __a._MOD_b
	__a..b_MOD_c __a..b_MOD_c
	__a_mod_b __a_mod_b
	shapes_MOD_area shapes_MOD_area
	_shapes_MOD_area _shapes_MOD_area
	plain_sub_ plain_sub_
	inner.0 inner.0
	MAIN__ MAIN__
	helper__a_45 helper__a_45
	__libc_start_main __libc_start_main
	__ __
	END
}

@test "a program of Fortran has its names" {
	gfortran --version >/dev/null 2>&1 || skip "no gfortran"
	cd "$BATS_TEST_TMPDIR"
	cat >a.f90 <<-'END'
	module shapes
	contains
	  integer function area(n)
	    integer, intent(in) :: n
	    area = n * 2
	  end function
	end module
	program main
	  use shapes
	  print *, area(3)
	end program
	END
	gfortran -o a a.f90
	nm a | awk '{ print $3 }' >names
	run -0 "$elfsyms" -d <names
	[[ $'\n'$output$'\n' == *$'\nshapes::area\n'* ]]
	[[ $'\n'$output$'\n' == *$'\nmain\n'* ]]
}

@test "names of D are demangled as by binutils, and what is none left alone" {
	local name expected

	while read -r name expected; do
		run -0 "$elfsyms" -d <<<"$name"
		[ "$output" = "$expected" ]
	done <<-'END'
	_D3app12__ModuleInfoZ ModuleInfo for app
	_D3app3runFDFNbkZvPFHiAaZbZv app.run(void(uint) nothrow delegate, bool(char[][int]) function)
	_D3app4Copy10__postblitMFZv app.Copy.this(this)
	_D3app4Copy8opAssignMFNcNjSQzQxZQg app.Copy.opAssign(app.Copy)
	_D3app4Item4nextMxFNaNbZCQxQv app.Item.next() const
	_D3app4Item6__ctorMFNbAyaZCQzQx app.Item.this(immutable(char)[])
	_D3app4Item6__initZ initializer for app.Item
	_D3app4Item6__vtblZ vtable for app.Item
	_D3app4Item7opIndexMONgFiZi app.Item.opIndex(int) shared inout
	_D3app4dotsFNcPxG4dAAyaX1ni app.dots(const(double[4])*, immutable(char)[][]...).n
	_D3app5main2FZ__T9__lambda1TiZQnFNaNbNiNfiZi app.main2().__lambda1!(int).__lambda1(int)
	_D3app5outerFAAyaZ5innerMFNaNbNiNfKiJlLeZi app.outer(immutable(char)[][]).inner(ref int, out long, lazy real)
	_D3app5totalOi app.total
	_D3app__T3litVAiA2i1i2VHiiA1i1i2VSQBg1PS1i3ZQBjFNaNbNiNfZv app.lit!([1, 2], [1:2], app.P(3)).lit()
	_D3app__T3mapS_DQo3incFiZiTiZQuFNaNbNiNfiZSQBp__TQBoS_DQCbQBoQBnTiZQCgFiZ6Result app.map!(app.inc(int), int).map(int)
	_D3app__T3putVai65Vbi1ViN3Vki4ZQwFNaNbNiNfZv app.put!('A', true, -3, 4u).put()
	_D3app__T3sayVAyaa4_6120620aVdeN0CP1ZQBcFNaNbNiNfZv app.say!("a b\n", -0x0.Cp1).say()
	_D3app__T4listTAyaTQeVmi3ZQrFNaNbNfQuQwZAQBa app.list!(immutable(char)[], immutable(char)[], 3uL).list(immutable(char)[], immutable(char)[])
	_D3app18__T3mapS83app3incZ3mapFZv app.map!(app.inc).map()
	_D3app27__T3mapS14_D3app3incFiZiTiZ3mapFiZv app.map!(app.inc(int), int).map(int)
	_D3app__T3putVhi65Vti7Vki4Vli5Vmi6Z3putFZv app.put!(65u, 7u, 4u, 5L, 6uL).put()
	_D3app__T3putVbi4294967289Z3putFZv app.put!(true).put()
	_D3app__T3putVbi4294967299Z3putFZv _D3app__T3putVbi4294967299Z3putFZv
	_D3app1fFZ _D3app1fFZ
	_D3app1fFQzZv _D3app1fFQzZv
	_D3app9shortv _D3app9shortv
	END
}

@test "a name of D that doubles with each part is left as it is" {
	local name=_D1fFB2ii again=_D1a tried=_D i

	# f(A, B...): each is two of the last one.
	for i in {1..40}; do
		name+=$([ "$i" = 1 ] && echo B2QgQi || echo B2QiQk)
		again+=FS1a
		tried+=__T1aS99
	done
	for name in "${name}Zv" "$again" "$tried"; do
		run -0 timeout 10 "$elfsyms" -d <<<"$name"
		[ "$output" = "$name" ]
	done
}

@test "a name that stands for gigabytes is left as it is" {
	# f<A<int, int>, A<S1, S1>, A<S2, S2> ...>: each is twice the last one.
	local name=_Z1fI1AIiiE i

	for i in {1..9} {A..Z}; do
		name+="S0_IS${i}_S${i}_E"
	done
	name+=Evv
	run -0 timeout 10 "$elfsyms" -d <<<"$name"
	[ "$output" = "$name" ]
}

@test "inlined functions are those addr2line has" {
	local start size i
	local addresses=()

	need "${CXX:-c++}" addr2line
	cat >inline.cc <<-'END'
	#include <algorithm>
	#include <string>
	#include <vector>
	struct item { int n; std::string s; };
	static bool less(const item &a, const item &b) { return a.n < b.n; }
	int main(int argc, char *[]) {
		std::vector<item> v;
		for (int i = 0; i < argc; i++)
			v.push_back({i * 7919 % 100, "x"});
		std::sort(v.begin(), v.end(), less);
		return v[0].n;
	}
	END
	"${CXX:-c++}" -O2 -g -o inline inline.cc
	read -r start size _ < <("$elfsyms" inline | grep ' main$')
	for ((i = 0; i < 16#$size; i += 3)); do
		printf -v address %x $((16#$start + i))
		addresses+=("$address")
	done
	addr2line -i -f -e inline "${addresses[@]}" |
		sed 's/ (discriminator .*//; s|^/.*/||' >theirs
	"$elfsyms" -i inline "${addresses[@]}" |
		sed 's/ (inlined)$//; s|^/.*/||' >ours
	[ "$(wc -l <theirs)" -gt 200 ]
	diff theirs ours
}

# A program with what is inlined, its debug information as options say.
inlined_program() {
	need "${CXX:-c++}"
	cat >split.cc <<-'END'
	namespace app { namespace {
	struct item { int n; };
	inline __attribute__((always_inline)) int hidden(int n) {
		volatile item i = {n * 3};
		return i.n;
	}
	}
	__attribute__((noinline)) int shown(int n) { return hidden(n); } }
	int main(int argc, char *[]) {
		auto add = [&](int n) __attribute__((always_inline)) {
			volatile int sum = n + argc;
			return int(sum);
		};
		return app::shown(argc) + add(3);
	}
	END
	"${CXX:-c++}" -O1 -g "$@" -o split split.cc
}

inlined_of() {
	local start size i address program=${elfsyms%% *}
	local addresses=()

	while read -r start size _; do
		for ((i = 0; i < 16#$size; i++)); do
			printf -v address %x $((16#$start + i))
			addresses+=("$address")
		done
	done < <("$program" "${addresses_from-$1}" |
		grep -E ' (main|_ZN3app.*)$')
	# shellcheck disable=SC2086 # words
	timeout 10 $elfsyms -i "$1" "${addresses[@]}"
}

@test "what is inlined is named as well if its unit is in a file of its own" {
	local version

	for version in 4 5; do
		inlined_program -gdwarf-$version
		inlined_of split >expected
		grep -q '^app::(anonymous namespace)::hidden ' expected
		inlined_program -gdwarf-$version -gsplit-dwarf
		ls ./*.dwo
		diff expected <(inlined_of split)
		rm ./*.dwo
	done
}

# package TOOL VERSION: put the units of split into split.dwp, without .dwo.
package() {
	inlined_program -gdwarf-"$2" -gsplit-dwarf
	# llvm-dwp 14 never ends with some units of gcc.
	timeout 60 "$1" -e split -o split.dwp || skip "no package by $1"
	rm ./*.dwo
}

@test "a package has the units of a split program" {
	local version

	need llvm-dwp
	for version in 4 5; do
		inlined_program -gdwarf-$version
		inlined_of split >expected
		package llvm-dwp $version
		diff expected <(inlined_of split)
		# Compressed, beside another name of the program.
		objcopy --compress-debug-sections=zlib split.dwp packed.dwp
		rm split.dwp
		mv split packed
		diff expected <(inlined_of packed)
		rm packed.dwp
		! inlined_of packed | grep hidden || false
	done
	need dwp
	inlined_program -gdwarf-4
	inlined_of split >expected
	package dwp 4
	diff expected <(inlined_of split)
}

@test "a package is found by the build-id, and beside a stripped program" {
	local id

	need llvm-dwp readelf objcopy
	inlined_program -gdwarf-5
	inlined_of split >expected
	package llvm-dwp 5
	id=$(readelf -n split | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "no build-id"
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug split "debug/.build-id/${id:0:2}/${id:2}.debug"
	cp split whole
	strip split
	elfsyms="$elfsyms -D debug"
	diff expected <(addresses_from=whole inlined_of split)
	mv split.dwp "debug/.build-id/${id:0:2}/${id:2}.dwp"
	diff expected <(addresses_from=whole inlined_of split)
	mv "debug/.build-id/${id:0:2}/${id:2}.dwp" \
		"debug/.build-id/${id:0:2}/${id:2}.debug.dwp"
	diff expected <(addresses_from=whole inlined_of split)
}

@test "ranges of a packaged unit are relative to where the unit begins" {
	local version

	need llvm-dwp clang++
	cat >cold.cc <<-'END'
	#include <algorithm>
	#include <string>
	#include <vector>
	struct item { int n; std::string s; };
	static bool less(const item &a, const item &b) { return a.n < b.n; }
	int main(int argc, char *[]) {
		std::vector<item> v;
		for (int i = 0; i < argc; i++)
			v.push_back({i * 7919 % 100, "x"});
		std::sort(v.begin(), v.end(), less);
		return v[0].n;
	}
	END
	for version in 4 5; do
		clang++ -O2 -g -gdwarf-$version -o split cold.cc ||
			skip "clang++ has no library"
		inlined_of split >expected
		[ "$(grep -c inlined expected)" -gt 1000 ]
		clang++ -O2 -g -gdwarf-$version -gsplit-dwarf -o split cold.cc
		llvm-dwp -e split -o split.dwp
		rm ./*.dwo
		diff expected <(inlined_of split)
	done
}

@test "a package that is cut or changed, or of another program, does no harm" {
	need llvm-dwp
	package llvm-dwp 5
	inlined_of split >expected
	cp split.dwp good.dwp
	# shellcheck disable=SC2016 # for sh
	TMPDIR=$BATS_TEST_TMPDIR "$top_builddir/t/programs/hostile" good.dwp sh -c '
		cat >split.dwp && exec "$1" -i split 1130 1140 1150 1160 1170
	' sh "$elfsyms"
	mv split first
	inlined_program -gsplit-dwarf -DOTHER=1 -O2
	rm -f ./*.dwo
	cp good.dwp split.dwp
	inlined_of split >found
	! grep hidden found || false
	mkfifo fifo.dwp
	mv first fifo
	inlined_of fifo >found
}

@test "without its split file, or an entry, a function has its lines" {
	local version start

	need llvm-dwp
	for version in 4 5; do
		package llvm-dwp $version
		rm split.dwp
		inlined_of split >found
		# Only lines: of what was inlined, too.
		[ "$(grep -c '^$' found)" -gt 20 ]
		grep -q 'split\.cc:5$' found
		grep -q 'split\.cc:12$' found
	done
	need clang
	echo 'int one(int n) { volatile int i = n; return i; }
	int main(int argc, char *argv[]) { return one(argc); }' >small.c
	clang -gmlt -O1 -fno-inline -o small small.c
	start=$(nm small | awk '$3 == "one" { print $1 }')
	run -0 "$elfsyms" -i small "$start"
	[ "${lines[-1]##*/}" = small.c:1 ]
}

@test "a FIFO in the place of a file with a unit does not block" {
	local dwo

	inlined_program -gsplit-dwarf
	for dwo in *.dwo; do
		rm "$dwo"
		mkfifo "$dwo"
	done
	inlined_of split >found
	! grep hidden found || false
	# Beside the program, if it was moved.
	mkdir moved
	mv split moved
	mv ./*.dwo moved
	inlined_of moved/split >found
	! grep hidden found || false
}

@test "a name space whose name dwz took away is not called anonymous" {
	local program

	need "${CXX:-c++}" dwz
	for program in one two; do
		cat >$program.cc <<-END
		namespace of_both_programs_with_a_long_name {
		static __attribute__((noinline)) int of_$program(int n) {
			volatile int i = n;
			return i;
		} }
		int main(int argc, char *[]) {
			return of_both_programs_with_a_long_name::of_$program(argc);
		}
		END
		"${CXX:-c++}" -O1 -g -o $program $program.cc
		nm $program | awk '/of_/ { print $1 }' >$program.address
	done
	dwz -m shared.debug -M shared.debug one two
	rm shared.debug
	run -0 "$elfsyms" -i one "$(cat one.address)"
	[ "${lines[0]}" = of_one ]
}

@test "debug sections compressed by zlib and zstd are read" {
	local address form

	program
	address=$("$elfsyms" program | awk '$3 == "hidden" { print $1 }')
	"$elfsyms" -i program "$address" >plain
	grep -q '^hidden' plain
	grep -q 'program\.c:5$' plain
	for form in zlib zlib-gnu; do
		objcopy --compress-debug-sections=$form program packed
		diff plain <("$elfsyms" -i packed "$address")
	done
	zstd_sections program packed || skip "no zstd or python3 to pack with"
	diff plain <("$elfsyms" -i packed "$address")
}

@test "debug sections whose packed bytes are spoilt have no lines" {
	local address form at

	program
	address=$("$elfsyms" program | awk '$3 == "hidden" { print $1 }')
	objcopy --compress-debug-sections=zlib program zlib
	zstd_sections program zstd || cp zlib zstd
	for form in zlib zstd; do
		# Behind the head of .debug_info, all of it.
		at=$(readelf -WS $form | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
		printf 'spoilt, all of this' |
			dd of=$form bs=1 seek=$((0x$at + 24)) conv=notrunc status=none
		run -0 "$elfsyms" -i $form "$address"
		[ "$output" = '?' ]
		run -0 "$elfsyms" -a $form "$address"
		[[ $output == *hidden* ]]
	done
}

@test "a compressed section that claims more than the file has is not unpacked" {
	local address at head huge='\0\0\0\0\0\0\0\100'

	program
	address=$("$elfsyms" program | awk '$3 == "hidden" { print $1 }')
	objcopy --compress-debug-sections=zlib program packed
	head=$(readelf -hW packed | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
	read -r at head < <(readelf -WS packed |
		sed -n 's/.*\[ *\([0-9]*\)\] \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p' |
		while read -r number offset; do
			echo $((head + number * 64 + 32)) $((0x$offset + 8))
		done)
	# Its own size, and that of the unpacked bytes.
	for at in $at $head; do
		# shellcheck disable=SC2059 # escapes
		printf "$huge" | dd of=packed bs=1 seek="$at" conv=notrunc status=none
	done
	run -0 "$elfsyms" -i packed "$address"
	[ "$output" = '?' ]
	run -0 "$elfsyms" -a packed "$address"
	[[ $output == *hidden* ]]
}

# binutils of Debian 12 cannot write it: section by section, at the end.
zstd_sections() {
	command -v zstd >/dev/null && command -v python3 >/dev/null || return 1
	python3 - "$1" "$2" <<-'END'
	import struct, subprocess, sys
	data = bytearray(open(sys.argv[1], "rb").read())
	shoff, = struct.unpack_from("<Q", data, 40)
	size, n, names = struct.unpack_from("<HHH", data, 58)
	head = lambda i: list(struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * size))
	base = head(names)[4]
	for i in range(n):
	    s = head(i)
	    name = data[base + s[0]:].split(b"\0")[0]
	    if not name.startswith(b".debug_"):
	        continue
	    raw = bytes(data[s[4]:s[4] + s[5]])
	    packed = struct.pack("<IIQQ", 2, 0, len(raw), s[8]) + \
	        subprocess.run(["zstd", "-c"], input=raw, capture_output=True).stdout
	    s[2] |= 0x800
	    s[4], s[5] = len(data), len(packed)
	    data += packed
	    struct.pack_into("<IIQQQQIIQQ", data, shoff + i * size, *s)
	open(sys.argv[2], "wb").write(data)
	END
}

@test "of kernel symbols with one address the last line names it" {
	cat >kallsyms <<-'END'
	0000000000000000 A fixed_percpu_data
	ffffffff81000000 T _stext
	ffffffff81000000 T _text
	ffffffff81000100 t first
	ffffffff81000100 T second
	ffffffff81000200 D data
	ffffffff81000300 T last
	END
	printf 'ffffffffc0201000 t inside\t[module]\n' >>kallsyms
	printf 'ffffffffc0202000 t bpf_prog_1\t[bpf]\n' >>kallsyms
	run -0 "$elfsyms" -k kallsyms ffffffff81000050 ffffffff81000104 \
		ffffffff81000250 ffffffff81000301 ffffffffc0201fff \
		ffffffffc0202010 ffffffff82000000 ffffffffd0000000
	[ "${lines[0]}" = "[kernel.kallsyms] _text+0x50" ]
	[ "${lines[1]}" = "[kernel.kallsyms] second+0x4" ]
	[ "${lines[2]}" = "[kernel.kallsyms] second+0x150" ]
	[ "${lines[3]}" = "[kernel.kallsyms] last+0x1" ]
	[ "${lines[4]}" = "[module] inside+0xfff" ]
	[ "${lines[5]}" = "[bpf] bpf_prog_1+0x10" ]
	[ "${lines[6]}" = "?" ]
	[ "${lines[7]}" = "?" ]
	[ "${lines[8]}" = "text ffffffff81000000" ]
}

@test "hidden kernel addresses are said, and an empty file is refused" {
	printf '0000000000000000 T _text\n0000000000000000 t f\n' >hidden
	run -0 "$elfsyms" -k hidden ffffffff81000000
	[ "${lines[0]}" = "?" ]
	[ "${lines[1]}" = "text 0 hidden" ]
	: >empty
	run -1 "$elfsyms" -k empty
	run -1 "$elfsyms" -k missing
}

@test "the last entry of a perf map wins, on the bytes it has" {
	printf '%s\n' '1000 100 outer' '1020 10 inner' '1080 100 later' \
		'1020 10 again' '2010 10 covered' '2000 100 cover' >map
	run -0 "$elfsyms" -m map 1000 1020 102f 1030 107f 1080 117f 1180 2015
	[ "${lines[0]}" = outer+0x0 ]
	[ "${lines[1]}" = again+0x0 ]
	[ "${lines[2]}" = again+0xf ]
	[ "${lines[3]}" = outer+0x30 ]
	[ "${lines[4]}" = outer+0x7f ]
	[ "${lines[5]}" = later+0x0 ]
	[ "${lines[6]}" = later+0xff ]
	[ "${lines[7]}" = "?" ]
	[ "${lines[8]}" = cover+0x15 ]
}

@test "odd lines of perf maps are read, or counted" {
	printf '0x1000 0X10 with prefix\n  2000\t10\tx\n3000 10  two blanks\r\n' >map
	printf '\n# comment\nzzz 1 bad\n4000 0 nothing\n5000 10 no end' >>map
	run -0 "$elfsyms" -m map 1000 2000 3000 4000 5000
	[ "${lines[0]}" = "with prefix+0x0" ]
	[ "${lines[1]}" = x+0x0 ]
	[ "${lines[2]}" = "two blanks+0x0" ]
	[ "${lines[3]}" = "?" ]
	[ "${lines[4]}" = "no end+0x0" ]
	[ "${lines[5]}" = "lines 7 bad 2" ]
}

@test "a perf map of another user, or behind a link, is not trusted" {
	echo '1000 10 mine' >map
	run -0 "$elfsyms" -O -m map 1000
	ln -s map link
	run -0 "$elfsyms" -m link 1000
	run -1 "$elfsyms" -O -m link 1000
	[[ $output == *"symbolic link"* ]]
	[ "$(id -u)" -eq 0 ] || skip "not root: cannot give a file away"
	chown 65534 map
	run -1 "$elfsyms" -O -m map 1000
	[[ $output == *"another user"* ]]
	run -0 "$elfsyms" -m map 1000
}
