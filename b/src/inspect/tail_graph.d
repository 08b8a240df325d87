b/src/inspect/tail_graph.o: src/inspect/tail_graph.c \
 src/inspect/tail_graph.h src/budget.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/metadata/image.h src/cursor.h \
 src/metadata/schema.h src/metadata/coded.def src/il/body.h src/buf.h \
 src/alloc.h src/il/patch.h src/il/stack.h
src/inspect/tail_graph.h:
src/budget.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/il/code.h:
src/alloc.h:
src/il/opcode.h:
src/error.h:
src/il/opcodes.def:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/il/body.h:
src/buf.h:
src/alloc.h:
src/il/patch.h:
src/il/stack.h:
