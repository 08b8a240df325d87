b/tests/test_sig_write: tests/unit/test_sig_write.c \
 tests/unit/sig_cases.h src/sig/grammar.h src/cursor.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/sig/sig.h src/alloc.h src/buf.h \
 src/alloc.h
tests/unit/sig_cases.h:
src/sig/grammar.h:
src/cursor.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/sig/sig.h:
src/alloc.h:
src/buf.h:
src/alloc.h:
