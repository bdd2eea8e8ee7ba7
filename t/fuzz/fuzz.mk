# fuzz.mk - builds and runs the fuzzers; "make fuzz" calls it in the folder
# fuzz/ of the build, and says SRC, COMMANDS, SOURCES, CPPFLAGS, LIBS and RUNS.
# A command that is listed is fuzzed once with each line of options in
# t/fuzz/NAME.options, where an empty line is no options; without that file,
# with none.

# With FAST, only what costs little.  This build does not notice reads beyond an
# array of the heap, so the other one has to read its inputs again.  Nor does it
# report comparisons, which take half of the time of what remains.
SANITIZE = $(if $(FAST),-O2 -fsanitize=undefined -fsanitize-trap=undefined \
	-fno-sanitize-coverage=trace-cmp,-O1 \
	-fsanitize=address,undefined -fno-sanitize-recover=all)
CFLAGS = -g -fno-omit-frame-pointer $(SANITIZE) \
	-Werror=int-conversion -Werror=incompatible-pointer-types
WRAP = exit _exit err errx verr verrx fclose mmap munmap

# What is linked for the fuzzer's main(); OSS-Fuzz has others.
ENGINE = -fsanitize=fuzzer

objects = $(patsubst %.c,%.o,$(filter %.c,$(SOURCES)))
targets = $(notdir $(COMMANDS))

# Modules with a target of their own, t/fuzz/NAME.c.
MODULES = demangle elf export futex_owner guess hotspot_snapshot interp interp_golang interp_hotspot interp_lua interp_luajit interp_perl interp_php interp_ruby \
	jfr jitdump kallsyms package palette perfdata perfmap proctext \
	svgread top unwind v8

# Sources only: the build's own objects are not instrumented.
vpath %.c $(SRC)

# Targets whose inputs are changed by records, not by bytes alone.
MUTATOR_stackcollapse-perf = perfdata
MUTATOR_perfdata = perfdata
MUTATOR_stackcollapse-jfr = jfr
MUTATOR_jfr = jfr
MUTATOR_stackcollapse-jitdump = jitdump
MUTATOR_jitdump = jitdump
MUTATOR_unwind = cfi
MUTATOR_elf = elf
MUTATOR_package = elf
$(foreach m,$(filter interp%,$(MODULES)),$(eval MUTATOR_$m = memory))
mutator = $(if $(MUTATOR_$*),t/fuzz/mutate_$(MUTATOR_$*).o t/fuzz/mutate.o)

.PHONY: run build
.SECONDARY:
.SECONDEXPANSION:
run: $(targets:=.run) $(MODULES:=.modrun)
build: $(targets:=.fuzz) $(MODULES:=.module)

%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC       fuzz/$@"
	@$(CC) $(CPPFLAGS) -std=gnu11 $(CFLAGS) -fsanitize=fuzzer-no-link \
		-MMD -c -o $@ $<

lib.a: $(objects)
	@rm -f $@ && ar cr $@ $^

%.fuzz.o: cmd/%.o
	@objcopy --redefine-sym main=command_main $< $@

%.fuzz.o: cmd/collapse/%.o
	@objcopy --redefine-sym main=command_main $< $@

%.fuzz: %.fuzz.o t/fuzz/harness.o $$(mutator) lib.a
	@echo "  CCLD     fuzz/$@"
	@$(CC) $(CFLAGS) $(ENGINE) $(WRAP:%=-Wl,--wrap=%) -o $@ $^ \
		$(LIBS)

%.run: %.fuzz
	@$(SRC)/t/fuzz/run $* $(RUNS) $(FUZZFLAGS)

%.module: t/fuzz/%.o $$(mutator) lib.a
	@echo "  CCLD     fuzz/$@"
	@$(CC) $(CFLAGS) $(ENGINE) -o $@ $^ $(LIBS)

%.modrun: %.module
	@CC='$(CC)' $(SRC)/t/fuzz/modules $* $(RUNS) $(FUZZFLAGS)

# Inputs that were found without AddressSanitizer, by "make fuzz-fast".
%.replay: %.module
	@mkdir -p ../fuzz-fast/$*.corpus
	@$(SRC)/t/fuzz/tell "lib/$* again" $*.log ./$*.module \
		-close_fd_mask=3 -timeout=20 -rss_limit_mb=0 -runs=0 \
		-max_len=131072 -print_funcs=0 -artifact_prefix=$*. \
		../fuzz-fast/$*.corpus

-include $(MODULES:%=t/fuzz/%.d) $(objects:.o=.d) $(COMMANDS:=.d) t/fuzz/harness.d
