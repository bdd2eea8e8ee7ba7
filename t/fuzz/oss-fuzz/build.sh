#!/bin/bash
# build.sh - build all fuzz targets as OSS-Fuzz wants them: it sets CC, CFLAGS,
# LIB_FUZZING_ENGINE and OUT, and runs this in the folder of the sources.
# $OUT gets each target with its seeds, dictionary and options, and the shared
# libraries, which the image that runs the targets lacks.
set -eu

: "${CC:?}" "${CFLAGS:?}" "${LIB_FUZZING_ENGINE:?}" "${OUT:?}"
unset MAKEFLAGS
flags=$CFLAGS
unset CFLAGS

[ -x configure ] || autoreconf -i
[ -f Makefile ] || ./configure -q
make -s -j "$(nproc)" fuzz FUZZ_GOAL=build CLANG="$CC" \
	ENGINE="$LIB_FUZZING_ENGINE -Wl,-rpath,'\$\$ORIGIN/lib'" \
	SANITIZE="$flags"

# zip_seeds NAME TARGET: with the options of t/fuzz/run and t/fuzz/modules.
zip_seeds() {
	printf '%s\n' '[libfuzzer]' 'max_len = 65536' 'close_fd_mask = 3' \
		'[asan]' 'detect_leaks = 0' 'allocator_may_return_null = 1' \
		>"$OUT/$2.options"
	rm -f "$OUT/$2_seed_corpus.zip"
	[ -z "$(ls -A "$1.seeds")" ] || (cd "$1.seeds" && zip -qr "$OUT/$2_seed_corpus.zip" .)
	[ ! -e "$1.dict" ] || cp "$1.dict" "$OUT/$2.dict"
}

mkdir -p "$OUT/lib"
cd fuzz
for file in *.fuzz; do
	name=${file%.fuzz}
	cp "$file" "$OUT/$name"
	../t/fuzz/seeds "$name"
	zip_seeds "$name" "$name"
done
for file in *.module; do
	name=${file%.module}
	cp "$file" "$OUT/lib_$name"
	SEEDS_ONLY=1 ../t/fuzz/modules "$name" 0
	zip_seeds "$name" "lib_$name"
done
for file in "$OUT"/*; do
	[ ! -f "$file" ] || [ ! -x "$file" ] || ldd "$file"
done | awk '$2 == "=>" && $3 !~ /libc\.so|libm\.so|libpthread|libdl|librt/ {
	print $3
}' | sort -u | xargs cp -t "$OUT/lib"
