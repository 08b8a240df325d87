b/src/sig/sig_text.o: src/sig/sig_text.c src/sig/grammar.h src/cursor.h \
 src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/sig/sig.h \
 src/alloc.h src/buf.h src/alloc.h
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
