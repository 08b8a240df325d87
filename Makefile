# ilpatch's build. `make help` prints the targets.
#
# Sources are found, not listed: src/*/*.c is the library, tools/*.c the command,
# tests/unit/test_*.c one test program each.

CC      ?= gcc
AR      ?= ar
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CFLAGS  ?= -O2 -g

VERSION := $(shell sed -n 's/^.define ILP_VERSION "\(.*\)"/\1/p' include/ilpatch.h)
SONAME  := libilpatch.so.0

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes \
            -Wmissing-prototypes -Werror=override-init
# clang has its own name for a double initialiser
ifneq (,$(findstring clang,$(shell $(CC) --version 2>/dev/null)))
WARNINGS := $(subst override-init,initializer-overrides,$(WARNINGS))
endif
ifdef WERROR
WARNINGS += -Werror
endif

ALL_CFLAGS := -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. $(WARNINGS) -fvisibility=hidden -fPIC -MMD -MP $(CFLAGS)

LIB_SRC  := $(filter-out src/profiler/%,$(wildcard src/*.c src/*/*.c))
TOOL_SRC := $(wildcard tools/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)

LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(BUILD)/%.o) $(BUILD)/tools/stock_inspector.o
UNITS    := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)

LIB_LIBS  :=
TOOL_LIBS := -ljansson
TEST_LIBS := -lcmocka

.PHONY: all help check check-unit check-asan check-runtime fuzz bench lint layers inspector install uninstall clean
.SECONDARY:

all: $(BUILD)/ilpatch $(BUILD)/libilpatch.a $(BUILD)/libilpatch.so $(BUILD)/ilpatch.pc ## build command and libraries

help: ## print the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The stock inspector's bytes are linked into the command.
$(BUILD)/tools/stock_inspector.o: tools/stock_inspector.S data/inspector/MyProfiler.dll
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

$(BUILD)/libilpatch.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libilpatch.so: $(LIB_OBJ) ilpatch.map
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=ilpatch.map $(CFLAGS) $(LDFLAGS) -o $@ $(LIB_OBJ) $(LIB_LIBS)
	@ln -sf libilpatch.so $(BUILD)/$(SONAME)

$(BUILD)/ilpatch: $(TOOL_OBJ) $(BUILD)/libilpatch.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) $(LIB_LIBS)

$(BUILD)/ilpatch.pc: ilpatch.pc.in include/ilpatch.h
	@mkdir -p $(@D)
	sed 's|@PREFIX@|$(PREFIX)|;s|@VERSION@|$(VERSION)|;s|@LIBS@|$(LIB_LIBS)|' $< > $@

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libilpatch.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libilpatch.a $(TEST_LIBS) $(LIB_LIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
