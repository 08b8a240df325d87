# ilpatch's build. `make help` prints the targets.
#
# PORT=FOLDER builds with the static libraries of FOLDER (ports/libraries.sh), for the target of CC.
#
# Sources are found, not listed: src/ is the library, elt/ the hooks' stubs, host/ what both programs share,
# profiler/ and tools/ the programs, tests/unit/test_*.c one test program each.

CC      ?= gcc
AR      ?= ar
BUILD   ?= build
# One name of the folder, however it is given: objects name their dependencies by it.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
CFLAGS  ?= -O3 -g
# `no`: `make install` leaves debug symbols in programs and libraries, for packages that split them themselves
STRIP   ?= yes

VERSION := $(shell sed -n 's/^.define ILP_VERSION "\(.*\)"/\1/p' include/ilpatch.h)
SONAME  := libilpatch.so.$(firstword $(subst ., ,$(VERSION)))
MONO_PROFILER := libmono-profiler-ilpatch.so

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes \
            -Wmissing-prototypes -Werror=override-init
# clang has its own name for a double initialiser
ifneq (,$(findstring clang,$(shell $(CC) --version 2>/dev/null)))
WARNINGS := $(subst override-init,initializer-overrides,$(WARNINGS))
endif
ifdef WERROR
WARNINGS += -Werror
endif

# What differs on Windows: files of ports/windows/ take the places of those of the same name, headers too, and its include/ has what
# Windows' C library has not.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
ifneq (,$(findstring mingw,$(MACHINE)))
OVERLAY      := ports/windows
EXE          := .exe
SYSTEM_FLAGS := -I$(OVERLAY)/src -I$(OVERLAY) -isystem $(OVERLAY)/include -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0A00 -D_FILE_OFFSET_BITS=64
SYSTEM_LIBS  := -static -lpthread -lbcrypt
WITHOUT      := src/base/libcrypto.c
PROFILER     := $(BUILD)/ilpatch_profiler.dll
$(BUILD)/tools/ilpatch.o: ALL_CFLAGS += -Dmain=command_main -Wno-missing-prototypes
$(BUILD)/tests/unit/%.o:  ALL_CFLAGS += -Itests/platforms/windows -Wno-format -Wno-format-extra-args
endif

# With PORT libraries are linked, statically, and those that have their own names for what is loaded are left out.
ifdef PORT
WITHOUT     += host/jansson.c
PORT_CFLAGS := -isystem $(PORT)/include -isystem $(PORT)/include/libxml2 -DLIBRARIES_LINKED -DLIBXML_STATIC -DPCRE2_STATIC
PORT_LIBS   := $(wildcard $(addprefix $(PORT)/lib/,libxml2.a libpcre2-8.a libdeflate.a libz.a libjansson.a libcrypto.a))
PORT_LIBS   += $(if $(OVERLAY),,-lm)
endif

# Libraries that are loaded when they are needed (src/base/library.h), under the names of those that the headers belong to.
soname = $(or $(shell readelf -d "$$($(CC) -print-file-name=$(1).so)" 2>/dev/null | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'),$(2))
LIBXML2_CFLAGS := $(if $(PORT),,$(shell pkg-config --cflags libxml-2.0 2>/dev/null || echo -I/usr/include/libxml2))
LIBXML2_SONAME := $(call soname,libxml2,libxml2.so.2)
PCRE2_SONAME := $(call soname,libpcre2-8,libpcre2-8.so.0)
LIBDEFLATE_SONAME := $(call soname,libdeflate,libdeflate.so.0)
ZLIB_SONAME := $(call soname,libz,libz.so.1)
LIBCRYPTO_SONAME := $(call soname,libcrypto,libcrypto.so.3)
JANSSON_SONAME := $(call soname,libjansson,libjansson.so.4)
$(BUILD)/src/rules/xml.o: ALL_CFLAGS += $(LIBXML2_CFLAGS) -DLIBXML2_SONAME='"$(LIBXML2_SONAME)"'
$(BUILD)/src/base/pattern.o: ALL_CFLAGS += -DPCRE2_SONAME='"$(PCRE2_SONAME)"'
$(BUILD)/src/base/libdeflate.o $(BUILD)/src/base/inflate.o: ALL_CFLAGS += -DLIBDEFLATE_SONAME='"$(LIBDEFLATE_SONAME)"'
$(BUILD)/src/base/zlib.o $(BUILD)/src/base/inflate.o: ALL_CFLAGS += -DZLIB_SONAME='"$(ZLIB_SONAME)"'
$(BUILD)/host/jansson.o: ALL_CFLAGS += -DJANSSON_SONAME='"$(JANSSON_SONAME)"'
$(BUILD)/src/base/libcrypto.o: ALL_CFLAGS += -DLIBCRYPTO_SONAME='"$(LIBCRYPTO_SONAME)"'

ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(SYSTEM_FLAGS) -Iinclude -Isrc -I. $(PORT_CFLAGS) $(WARNINGS) -fvisibility=hidden -fPIC -MMD -MP -fdebug-prefix-map=$(CURDIR)=. $(CFLAGS)

# OLD_GLIBC=1: what is built runs with glibc 2.28, too (ports/glibc). Functions that have moved since are looked for where they were.
ifdef OLD_GLIBC
ALL_CFLAGS += -include ports/glibc/old_symbols.h
PORT_PARTS := $(BUILD)/ports/glibc/old_symbols.o
PORT_START := $(BUILD)/ports/glibc/old_start.o
PORT_LIBS  += -Wl,--push-state,--no-as-needed $(foreach lib,libdl.so.2 libpthread.so.0,$(shell $(CC) -print-file-name=$(lib))) -Wl,--pop-state
endif

# A folder at the top is a part, and becomes one archive; src/ is the library. docs/ARCHITECTURE.md draws who knows whom.
found     = $(if $(wildcard $(1)),$(shell find $(1) -name '*.c' -o -name '*.S' | LC_ALL=C sort))
replaced  = $(if $(OVERLAY),$(call found,$(OVERLAY)/$(1)))
sources   = $(filter-out $(WITHOUT) $(patsubst $(OVERLAY)/%,%,$(replaced)),$(call found,$(1))) $(replaced)
objects   = $(patsubst %.c,$(BUILD)/%.o,$(patsubst %.S,$(BUILD)/%.o,$(call sources,$(1))))
LIB_OBJ      := $(call objects,src)
ELT_OBJ      := $(call objects,elt)
HOST_OBJ     := $(call objects,host)
PROFILER_OBJ := $(call objects,profiler)
TOOL_OBJ     := $(call objects,tools)
UNIT_SRC     := $(wildcard tests/unit/test_*.c)
LEFT_OUT     := $(if $(OVERLAY),$(shell sed -n 's|^\(test_[a-z_]*\) .*|tests/unit/\1.c|p' tests/platforms/windows/left-out.txt))
UNITS    := $(filter-out $(LEFT_OUT),$(UNIT_SRC))
UNITS    := $(UNITS:tests/unit/%.c=$(BUILD)/tests/%$(EXE))

TEST_LIBS := $(if $(PORT),-L$(PORT)/lib -lcmocka,-lcmocka -ljansson)

.PHONY: all help man units checked check check-unit check-asan check-threads check-memory check-faults check-bounds check-corpus check-folders check-platforms check-versions ports coverage check-runtime check-matrix fuzz speed bench bench-check bench-counts costs count release lint analyze tidy cppcheck shellcheck layers map abi names columns format format-check syntax compile_commands.json inspector install installcheck uninstall clean nuget archives dist deb check-packages others
.SECONDARY:

PRODUCTS := $(BUILD)/libilpatch.a $(BUILD)/libilpatch_elt.a $(if $(OVERLAY),$(PROFILER) $(BUILD)/libilpatch.dll,$(BUILD)/libilpatch_profiler.so $(BUILD)/$(MONO_PROFILER) $(BUILD)/libilpatch.so)
all: $(BUILD)/ilpatch$(EXE) $(BUILD)/MyProfiler.dll $(PRODUCTS) ## build command and libraries

help: ## print the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

# git leaves a build folder alone under whatever name.
$(BUILD)/.gitignore:
	@mkdir -p $(@D)
	@echo '*' > $@

$(BUILD)/%.o: %.c | $(BUILD)/.gitignore
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Stubs include tables of registers, and others link the bytes of a file: the stock inspector, the pages for reports. Each file
# of stubs is empty but on its own architecture.
$(BUILD)/%.o: %.S | $(BUILD)/.gitignore
	@mkdir -p $(@D)
	$(CC) $(SYSTEM_FLAGS) -I. -MMD -MP $(CFLAGS) -c -o $@ $<
$(BUILD)/host/stock_inspector.o: data/inspector/MyProfiler.dll data/inspector/small/MyProfiler.dll
$(BUILD)/tools/explain/pages.o: docs/ERRORS.md docs/INSPECTION.md docs/VERIFY.md
$(BUILD)/tools/export/html_page.o: $(wildcard tools/export/*.html tools/export/*.css tools/export/*.js)

$(BUILD)/libilpatch.a: $(LIB_OBJ)
$(BUILD)/libilpatch_elt.a: $(ELT_OBJ) $(filter %src/base/pages.o,$(LIB_OBJ))
$(BUILD)/host.a: $(HOST_OBJ)
$(BUILD)/profiler.a: $(PROFILER_OBJ)
$(BUILD)/%.a:
	@rm -f $@
	$(AR) rcs $@ $^

# In the order in which a linker looks for what is missing.
PARTS := $(BUILD)/host.a $(BUILD)/libilpatch_elt.a $(BUILD)/libilpatch.a $(PORT_PARTS)

$(BUILD)/libilpatch.so: $(LIB_OBJ) $(PORT_PARTS) ilpatch.map
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=ilpatch.map $(CFLAGS) $(LDFLAGS) -o $@ $(LIB_OBJ) $(PORT_PARTS) $(PORT_LIBS)
	@ln -sf libilpatch.so $(BUILD)/$(SONAME)

# The same for Windows, where a list says what is exported.
$(BUILD)/libilpatch.def: $(BUILD)/libilpatch.a
	@{ echo EXPORTS; $(AR:%ar=%nm) $< | sed -n 's/.* T \(ilp_.*\)/\1/p' | sort; } >$@
$(BUILD)/libilpatch.dll: $(LIB_OBJ) $(BUILD)/libilpatch.def
	$(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PORT_LIBS) $(SYSTEM_LIBS) -Wl,--out-implib,$@.a

$(BUILD)/ilpatch$(EXE): $(TOOL_OBJ) $(PARTS) $(PORT_START)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PORT_LIBS) $(SYSTEM_LIBS)

# Only DllGetClassObject and its kin are seen from outside. An object that is missing fails the build: else the runtime would
# silently not load the profiler. Sanitizers are found later.
NO_UNDEFINED  := $(if $(findstring sanitize,$(LDFLAGS)),,-Wl,-z,defs)
LINK_PROFILER  = $(CC) -shared -Wl,-soname,libilpatch_profiler.so -Wl,--version-script=profiler.map $(NO_UNDEFINED) $(CFLAGS) $(LDFLAGS)

$(BUILD)/libilpatch_profiler.so: $(PROFILER_OBJ) $(PARTS) profiler.map
	$(LINK_PROFILER) -o $@ $(filter %.o %.a,$^) $(PORT_LIBS) -lpthread

# By a list of what is exported, in which names are without the decoration that 32-bit ones have.
$(BUILD)/ilpatch_profiler.dll: $(PROFILER_OBJ) $(PARTS) ports/windows/profiler/profiler.def
	$(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a %.def,$^) $(PORT_LIBS) $(SYSTEM_LIBS) -Wl,--enable-stdcall-fixup

# The name under which Mono looks for it (profiler/mono/session.c).
$(BUILD)/$(MONO_PROFILER): $(BUILD)/libilpatch_profiler.so
	ln -sf $(<F) $@

# The same, but hooks that break their contract end the process (elt/contract.h): the checks are compiled in, and
# functions that may block are wrapped by them.
CHECKED_OBJ   := $(patsubst $(BUILD)/%,$(BUILD)/checked/%,$(PROFILER_OBJ) $(BUILD)/elt/contract.o)
CHECKED_WRAPS := $(shell sed -n 's/^BLOCKS.[^,]*, \([a-z_]*\),.*/-Wl,--wrap=\1/p' elt/contract.def)

$(BUILD)/checked/%.o: %.c | $(BUILD)/.gitignore
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DELT_CHECKED -c -o $@ $<

$(BUILD)/checked/libilpatch_profiler.so: $(CHECKED_OBJ) $(PARTS) profiler.map
	$(LINK_PROFILER) $(CHECKED_WRAPS) -o $@ $(filter %.o %.a,$^) $(PORT_LIBS) -lpthread

checked: $(BUILD)/checked/libilpatch_profiler.so ## the profiler with hooks that are watched: build/checked/libilpatch_profiler.so

# `ilpatch run` lets the runtime load the stock inspector as a file.
$(BUILD)/MyProfiler.dll: data/inspector/MyProfiler.dll | $(BUILD)/.gitignore
	cp $< $@

# Each links the parts that it calls; a few are about parts of the profiler that need no runtime.
TEST_PARTS := $(if $(OVERLAY),,$(BUILD)/profiler.a) $(PARTS)
$(BUILD)/tests/%$(EXE): $(BUILD)/tests/unit/%.o $(TEST_PARTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(PORT_LIBS) -lpthread $(SYSTEM_LIBS)
# A Mono in the program, which the profiler finds there.
$(BUILD)/tests/test_mono_session: TEST_LIBS += -rdynamic

# A goal in a build folder may be an absolute path.
$(CURDIR)/%: % ;

# ---- tests ----

# A mistake ends the program (tests/unit/test_sanitizers.c): UBSan would report it and go on. clang sees implicit conversions, too.
SAN      := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
ifneq (,$(findstring clang,$(CC)))
SAN      += -fsanitize=implicit-conversion -fno-sanitize-recover=implicit-conversion
endif
ASAN_RUN := BUILD=build/asan CFLAGS="-O1 -g $(SAN)" LDFLAGS="$(SAN)"

units: $(UNITS)

check: all units $(BUILD)/fuzz_replay ## build, then all tests, lint among them
	BUILD=$(BUILD) tests/run.sh

check-matrix: all ## every entry point with every inspector and kind of program (make check: a minute's part)
	BUILD=$(BUILD) MATRIX=all tests/run.sh matrix

check-unit: all units $(BUILD)/fuzz_replay ## the tests that need no .NET: seconds
	BUILD=$(BUILD) tests/run.sh unit fuzz

check-asan: ## unit tests, corpus replay, rule files and command tests under ASan and UBSan
	$(MAKE) $(ASAN_RUN) all units build/asan/fuzz_replay
	BUILD=build/asan tests/run.sh unit fuzz rules command resolve trace

TSAN         := -fsanitize=thread
TSAN_RUN     := BUILD=build/tsan CFLAGS="-O1 -g $(TSAN)" LDFLAGS="$(TSAN)"
TSAN_THREADS := $(addprefix build/tsan/tests/,test_threads test_crew test_profiler_threads test_line_ring test_line_buffer)
check-threads: ## threads over shared images, in the command and in the profiler, under ThreadSanitizer
	$(MAKE) $(TSAN_RUN) build/tsan/ilpatch build/tsan/libilpatch_profiler.so $(TSAN_THREADS)
	for test in $(TSAN_THREADS); do BUILD=build/tsan $$test || exit; done
	BUILD=build/tsan tests/command/run.sh jobs

# What several processes or threads do at a time: under load it shows whether a test waits for what it means to wait for.
TIMED_COMMANDS := attach,at_once,handed,interrupt,jobs,kill,launch,locked,output_spool,pairs_run,ps,streams,terminal
TIMED := unit command:$(TIMED_COMMANDS) $(addprefix runtime/,attach attach_ends attach_trace doctor ends healing hotreload launch output ps spool watch)
.PHONY: check-again
check-again: all units ## the tests with several processes or threads RUNS times (20), three for each processor at a time
	@BUILD=$(BUILD) JOBS=$$((3 * $$(nproc))) tests/run.sh $(foreach run,$(shell seq $(or $(RUNS),20)),$(TIMED))

.PHONY: first-value
first-value: ## a new user's path: a clean clone, the first command of the README, the first value, and the seconds to it
	tests/first_value.sh

check-memory: all units ## unit tests and a few commands under valgrind: values that are used before they are set
	BUILD=$(BUILD) tests/memcheck.sh

# A build of its own, since each object counts what of it is executed. Without optimisation, so that lines and branches are those of the source.
COVERAGE_RUN := BUILD=build/coverage CFLAGS="-O0 --coverage" LDFLAGS=--coverage
coverage: ## lines and branches that tests without .NET execute; fails below tests/coverage/gates.txt
	$(MAKE) $(COVERAGE_RUN) all units build/coverage/fuzz_replay
	find build/coverage -name '*.gcda' -delete
	BUILD=build/coverage tests/run.sh unit fuzz
	tests/coverage/coverage.py build/coverage -g unit
	BUILD=build/coverage tests/trace/run.sh formats
	BUILD=build/coverage tests/run.sh command
	tests/coverage/coverage.py build/coverage -g command

check-faults: all ## each system call of a patch or restore fails in each way, and the command is killed after it: half an hour
	BUILD=$(BUILD) FAULTS=all LIMIT=14400 tests/run.sh faults

check-bounds: all ## files that are made to take long or much memory get neither, by every command: an hour
	BUILD=$(BUILD) BOUNDS=all LIMIT=14400 tests/run.sh bounds

check-corpus: all ## every assembly on the machine: read, patched, verified, compared, compiled before and after (docs/CORPUS.md); CORPUS_SAMPLE=N: of N
	BUILD=$(BUILD) CORPUS=all LIMIT=86400 tests/run.sh corpus

check-versions: all ## the matrix, values, traces and tail calls on the oldest and the newest patch of .NET Core 3.1 and .NET 8, 9 and 10: an hour; VERSIONS=8.0.0: of these
	BUILD=$(BUILD) VERSIONS="$(or $(VERSIONS),all)" LIMIT=14400 tests/run.sh runtime/versions

ports: ## what to build with for other platforms (./setup.sh platforms): make check then tries them, too
	ports/all.sh build/packages/ports $(PORTS)

check-platforms: all ## other processors, systems, C libraries and runtimes (./setup.sh platforms): writes its table into docs/SUPPORT.md
	BUILD=$(BUILD) PLATFORMS=all PLATFORMS_WRITE=1 LIMIT=14400 tests/run.sh platforms

check-folders: all ## whole folders, patched by one call each: programs, libraries, compilers, the framework, the SDK: ten minutes
	BUILD=$(BUILD) FOLDERS=all tests/run.sh runtime/folders

check-runtime: all ## the runtime tests alone
	BUILD=$(BUILD) tests/run.sh runtime

# One program replays the inputs of all fuzz targets; `make fuzz` searches for new ones with libFuzzer.
$(BUILD)/fuzz_replay: $(wildcard tests/fuzz/*.c) $(PARTS)
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(LDFLAGS) -o $@ tests/fuzz/replay.c $(PARTS)

FUZZ_SECONDS ?= 60
FUZZ_STATE   ?= build/fuzz/state
FUZZ_TARGETS ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SAN     := address,undefined -fno-sanitize-recover=all
FUZZ_RUN     := CC="$(if $(findstring clang,$(CC)),$(CC),clang)" BUILD=build/fuzz CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,$(FUZZ_SAN)"
fuzz: ## search for bad inputs (clang), FUZZ_SECONDS of CPU for each of FUZZ_TARGETS; FUZZ_STATE is kept
	$(MAKE) $(FUZZ_RUN) $(FUZZ_TARGETS:%=build/fuzz/fuzz_%) build/fuzz/fuzz_dictionary
	FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_STATE=$(FUZZ_STATE) tests/fuzz/search.sh build/fuzz $(FUZZ_TARGETS)

# Targets whose inputs are images or bodies have a mutator that knows their structure.
$(addprefix $(BUILD)/fuzz_,image verify symbols whole): MUTATOR = tests/fuzz/mutate_image.c tests/fuzz/mutate_il.c
$(BUILD)/fuzz_body: MUTATOR = tests/fuzz/mutate_body.c tests/fuzz/mutate_il.c
$(BUILD)/fuzz_dictionary: tests/fuzz/dictionary.c $(wildcard include/ilpatch/*.def host/*.def src/*/*.def data/*.def) | $(BUILD)/.gitignore
	$(CC) $(filter-out -MMD -MP -fsanitize=%,$(ALL_CFLAGS)) -o $@ $<
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(wildcard tests/fuzz/mutate*) $(PARTS)
	$(CC) $(filter-out -MMD -MP -fsanitize=fuzzer-no-link%,$(ALL_CFLAGS)) -fsanitize=fuzzer,$(FUZZ_SAN) $(LDFLAGS) -o $@ $< $(MUTATOR) $(PARTS)

speed: all $(BUILD)/bench_warm ## the same job by ilpatch and by Mono.Cecil, side by side; writes docs/BENCH.md and its plot
	ILPATCH=$(BUILD)/ilpatch bench/run.sh

bench: speed ## the same, then what rules, the profiler and values cost
	ILPATCH=$(BUILD)/ilpatch bench/rules.sh
	ILPATCH=$(BUILD)/ilpatch bench/startup.sh
	$(MAKE) costs

costs: all ## what the profiler costs a program: its start, each value and traced call, requests of a web service (docs/COST.md)
	ILPATCH=$(BUILD)/ilpatch bench/hello.sh
	ILPATCH=$(BUILD)/ilpatch bench/cost.sh
	ILPATCH=$(BUILD)/ilpatch bench/orders.sh
	ILPATCH=$(BUILD)/ilpatch bench/trace.sh
	ILPATCH=$(BUILD)/ilpatch bench/web.sh
	ILPATCH=$(BUILD)/ilpatch bench/attach.sh

others: all ## what a value costs by ilpatch, by an aspect and by hand (docs/COMPARISON.md)
	ILPATCH=$(BUILD)/ilpatch bench/others.sh

count: all ## instructions and peak memory of fixed jobs; BEFORE=COMMIT|FOLDER: and the ratios to that build
	@BUILD=$(BUILD) bench/count.sh $(BEFORE)

bench-check: all ## fails if one of five jobs takes 5 % more instructions than bench/counts.txt has, and prints the functions that grew
	@BUILD=$(BUILD) bench/count.sh --check

bench-counts: all ## writes bench/counts.txt
	@BUILD=$(BUILD) bench/count.sh --renew

$(BUILD)/bench_warm: bench/warm.c $(PARTS)
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(LDFLAGS) -o $@ $^

# ---- the release ----

# Compiled as a whole, by what the usual jobs do (bench/README.md has what that gains); both times in one folder, since gcc knows
# static functions again by the names of their objects, too.
RELEASE := $(BUILD)/release
release: ## the fastest build, in build/release: compiled twice, the second time by what the first one's code did (gcc, .NET SDK)
	rm -rf $(RELEASE)
	$(MAKE) BUILD=$(RELEASE) CFLAGS="$(CFLAGS) -fprofile-generate -fprofile-update=atomic" all
	ILPATCH=$(RELEASE)/ilpatch bench/train.sh
	find $(RELEASE) ! -type d ! -name '*.gcda' -delete
	$(MAKE) BUILD=$(RELEASE) AR=gcc-ar CFLAGS="$(CFLAGS) -flto=auto -ffat-lto-objects -fprofile-use -fprofile-partial-training -Wno-missing-profile" all

# ---- packages ----

nuget: ## the NuGet packages Ilpatch, Ilpatch.MSBuild and Ilpatch.Tool, in build/nuget, for the platforms that this machine can build for (make ports)
	packaging/natives.sh $(BUILD)/natives
	packaging/nuget/pack.sh $(BUILD)/natives $(BUILD)/nuget

archives: ## archives to unpack anywhere, in build/archives: Linux x64, with a static command, and Windows x64 (make ports)
	packaging/natives.sh $(BUILD)/natives
	packaging/archive.sh $(BUILD)/natives $(BUILD)/archives

dist: ## the source of the last commit, in build/dist; the same commit gives the same bytes
	packaging/dist.sh $(BUILD)/dist

deb: ## Debian packages of the last commit, in build/deb (./setup.sh packages)
	packaging/deb.sh $(BUILD)/deb

check-packages: all ## packages: made, installed from a local feed, used and removed
	BUILD=$(BUILD) PACKAGES=all tests/run.sh packages

# ---- upkeep ----

layers: all ## hold the drawing of docs/ARCHITECTURE.md against includes and calls
	@BUILD=$(BUILD) tests/layers.py

map: ## print each source file with the first sentence of its head (docs/ARCHITECTURE.md)
	@tests/map.py

abi: $(BUILD)/libilpatch.so ## write tests/abi/ilpatch.abi, the binary interface that the tests hold the library to
	tests/abi/describe.sh $(BUILD)/libilpatch.so tests/abi/ilpatch.abi

names: ## no two tags and no two enumerators with one name
	@tests/names.py
	@tests/headers.py

SOURCES := $(shell find include src elt host profiler tools tests/unit tests/fuzz -name '*.[ch]' ! -name object_file.h | LC_ALL=C sort)
PORT_SOURCES := $(shell find ports tests/platforms -name '*.[ch]' ! -name object_file.h | LC_ALL=C sort)

format: ## lay sources out as .clang-format has it
	clang-format -i $(SOURCES) $(PORT_SOURCES)

format-check: ## fail on a source that `make format` would change
	clang-format --dry-run -Werror $(SOURCES) $(PORT_SOURCES)

lint: all ## layers, names, columns, format, warnings of gcc and clang as errors, analyzers of both, clang-tidy, cppcheck, shellcheck
	BUILD=$(BUILD) tests/run.sh lint

cppcheck:
	cppcheck --quiet -j$$(nproc) --std=c11 --error-exitcode=1 --inline-suppr --suppress=unusedStructMember -Iinclude -Isrc -I. src elt host profiler tools

shellcheck:
	find . -name build -prune -o \( -name '*.sh' -o -path ./.ci/run \) -print | xargs -P $$(nproc) -n 12 shellcheck -x --severity=warning

# Each .c file by itself, with all warnings but without code. xml.o has flags of its own, so names are those of objects.
syntax: $(patsubst %.c,$(BUILD)/%.syntax,$(filter %.c,$(SOURCES)))
LOOKS := syntax analyzed tidy
$(LOOKS:%=$(BUILD)/src/rules/xml.%): ALL_CFLAGS += $(LIBXML2_CFLAGS) -DLIBXML2_SONAME='""'
$(LOOKS:%=$(BUILD)/src/base/pattern.%): ALL_CFLAGS += -DPCRE2_SONAME='""'
$(LOOKS:%=$(BUILD)/src/base/libdeflate.%) $(LOOKS:%=$(BUILD)/src/base/inflate.%): ALL_CFLAGS += -DLIBDEFLATE_SONAME='""'
$(LOOKS:%=$(BUILD)/src/base/zlib.%) $(LOOKS:%=$(BUILD)/src/base/inflate.%): ALL_CFLAGS += -DZLIB_SONAME='""'
$(LOOKS:%=$(BUILD)/src/base/libcrypto.%): ALL_CFLAGS += -DLIBCRYPTO_SONAME='""'
$(LOOKS:%=$(BUILD)/host/jansson.%): ALL_CFLAGS += -DJANSSON_SONAME='""'
$(BUILD)/%.syntax: %.c
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -fsyntax-only $<

# The compiler's own analyzer, gcc's or clang's, path by path, over all that is not a test; no report of it is suppressed.
PROGRAM_SOURCES := $(filter-out include/% tests/%,$(filter %.c,$(SOURCES)))
ANALYZE := $(if $(findstring clang,$(CC)),--analyze --analyzer-output text -Xclang -analyzer-werror,-fanalyzer -c -o /dev/null)
analyze: $(PROGRAM_SOURCES:%.c=$(BUILD)/%.analyzed)
$(BUILD)/%.analyzed: %.c
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(ANALYZE) $<

tidy: $(PROGRAM_SOURCES:%.c=$(BUILD)/%.tidy)
$(BUILD)/%.tidy: %.c
	clang-tidy --quiet $< -- $(filter-out -MMD -MP $(WARNINGS),$(ALL_CFLAGS)) 2>/dev/null

compile_commands.json: ## the compiler's command lines, for editors
	@{ sep='['; for file in $(filter %.c,$(SOURCES)); do \
	    printf '%s\n{"directory": "%s", "file": "%s", "command": "%s -c %s"}' "$$sep" "$(CURDIR)" "$$file" \
	        "$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(LIBXML2_CFLAGS)" "$$file"; sep=,; \
	done; printf '\n]\n'; } >$@

columns: ## fail on a line that is longer than STYLE.md has it
	@awk 'length > 100 { print FILENAME ":" FNR ": longer than 100 columns"; bad = 1 } END { exit bad }' $(SOURCES) $(PORT_SOURCES)

inspector: ## rebuild both editions of data/inspector/MyProfiler.dll with the .NET SDK
	data/inspector/known.py
	data/inspector/build.sh data/inspector/MyProfiler.dll
	data/inspector/build.sh --small data/inspector/small/MyProfiler.dll

# Of the library from the comments of the header, the other two from rules.def, help and man/ilpatch.1, by Python 3; without it, an
# installation has only ilpatch(1).
LIBRARY_PAGES := $(BUILD)/man/libilpatch.3
man: $(LIBRARY_PAGES) ## write the manual pages of the library, ilpatch-rules(5) and ilpatch-trace(1) into build/man
$(LIBRARY_PAGES): include/ilpatch.h $(wildcard include/ilpatch/*.def data/examples/*.xml) man/generate.py man/pages.py man/ilpatch.1 $(BUILD)/ilpatch$(EXE) | $(BUILD)/.gitignore
	@rm -rf $(@D)
	man/generate.py $(@D)
	man/pages.py $(@D) $(BUILD)/ilpatch$(EXE)

.PHONY: site
site: ## write the documents as a static site with a search into build/site (cmark-gfm)
	site/build.py $(BUILD)/site
	site/check.py $(BUILD)/site

install: all $(if $(shell command -v python3),man) ## install under DESTDIR and PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/ilpatch \
	    $(addprefix $(DESTDIR)$(PREFIX)/share/man/,man1 man3 man5)
	install -m 755 $(BUILD)/ilpatch $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(BUILD)/libilpatch.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/libilpatch.so $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libilpatch.so
	install -D -m 755 $(BUILD)/libilpatch_profiler.so $(DESTDIR)$(PREFIX)/lib/ilpatch/libilpatch_profiler.so
	ln -sf libilpatch_profiler.so $(DESTDIR)$(PREFIX)/lib/ilpatch/$(MONO_PROFILER)
	$(if $(filter no,$(STRIP)),,packaging/split_debug.sh $(DESTDIR)$(PREFIX)/bin/ilpatch $(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(PREFIX)/lib/ilpatch/libilpatch_profiler.so)
	install -m 644 $(BUILD)/MyProfiler.dll $(DESTDIR)$(PREFIX)/lib/ilpatch/
	install -m 644 $(BUILD)/libilpatch_elt.a $(DESTDIR)$(LIBDIR)/
	for name in ilpatch ilpatch-elt; do \
	    sed 's|@PREFIX@|$(PREFIX)|;s|@LIBDIR@|$(LIBDIR)|;s|@VERSION@|$(VERSION)|' $$name.pc.in | \
	        install -m 644 /dev/stdin $(DESTDIR)$(LIBDIR)/pkgconfig/$$name.pc || exit; \
	done
	install -m 644 include/ilpatch.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 include/ilpatch/*.def elt/elt.h elt/shadow_stack.h $(DESTDIR)$(PREFIX)/include/ilpatch/
	install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	if [ -e $(LIBRARY_PAGES) ]; then for section in 1 3 5; do cp -P $(BUILD)/man/*.$$section $(DESTDIR)$(PREFIX)/share/man/man$$section/; done; fi
	install -D -m 644 completions/ilpatch.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ilpatch
	install -D -m 644 completions/_ilpatch $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ilpatch
	install -D -m 644 completions/ilpatch.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ilpatch.fish
	install -D -m 644 completions/ilpatch.ps1 $(DESTDIR)$(PREFIX)/share/ilpatch/ilpatch.ps1
	install -m 644 data/rules.xsd data/*.schema.json $(DESTDIR)$(PREFIX)/share/ilpatch/
	install -d $(DESTDIR)$(PREFIX)/share/doc/ilpatch/docs $(DESTDIR)$(PREFIX)/share/doc/ilpatch/examples
	install -m 644 README.md CHANGELOG.md $(DESTDIR)$(PREFIX)/share/doc/ilpatch/
	install -m 644 docs/* $(DESTDIR)$(PREFIX)/share/doc/ilpatch/docs/
	install -m 644 data/examples/* $(DESTDIR)$(PREFIX)/share/doc/ilpatch/examples/

installcheck: ## what is installed under DESTDIR and PREFIX: a program is built against the library, the command is run, pages and data are there
	tests/installed.sh "$(DESTDIR)$(PREFIX)" "$(PREFIX)"

uninstall: ## remove what install put there
	rm -rf $(DESTDIR)$(PREFIX)/bin/ilpatch $(DESTDIR)$(PREFIX)/bin/.debug/ilpatch.debug $(DESTDIR)$(LIBDIR)/.debug/$(SONAME).debug $(DESTDIR)$(LIBDIR)/libilpatch.a $(DESTDIR)$(LIBDIR)/libilpatch.so \
	    $(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(LIBDIR)/libilpatch_elt.a \
	    $(DESTDIR)$(LIBDIR)/pkgconfig/ilpatch.pc $(DESTDIR)$(LIBDIR)/pkgconfig/ilpatch-elt.pc $(DESTDIR)$(PREFIX)/lib/ilpatch \
	    $(DESTDIR)$(PREFIX)/include/ilpatch.h $(DESTDIR)$(PREFIX)/include/ilpatch \
	    $(DESTDIR)$(PREFIX)/share/man/man1/ilpatch.1 $(DESTDIR)$(PREFIX)/share/man/man1/ilpatch-trace.1 \
	    $(DESTDIR)$(PREFIX)/share/man/man5/ilpatch-rules.5 $(DESTDIR)$(PREFIX)/share/man/man3/ilp_*.3 \
	    $(DESTDIR)$(PREFIX)/share/man/man3/libilpatch.3 $(DESTDIR)$(PREFIX)/share/man/man3/ilpatch.3 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ilpatch \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ilpatch \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ilpatch.fish $(DESTDIR)$(PREFIX)/share/ilpatch \
	    $(DESTDIR)$(PREFIX)/share/doc/ilpatch

.PHONY: options
options: ## write what completions and manual page say about options, from host/options.def
	completions/generate.py

clean: ## remove build/
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
