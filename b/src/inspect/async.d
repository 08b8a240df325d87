b/src/inspect/async.o: src/inspect/async.c src/inspect/async.h \
 src/il/code.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/opcode.h src/error.h \
 src/il/opcodes.def src/budget.h src/metadata/image.h src/cursor.h \
 src/metadata/schema.h src/metadata/coded.def src/il/body.h src/buf.h \
 src/alloc.h src/il/patch.h src/il/stack.h src/sig/sig.h
src/inspect/async.h:
src/il/code.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/il/opcode.h:
src/error.h:
src/il/opcodes.def:
src/budget.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/il/body.h:
src/buf.h:
src/alloc.h:
src/il/patch.h:
src/il/stack.h:
src/sig/sig.h:
