b/src/inspect/graft_scope.o: src/inspect/graft_scope.c \
 src/inspect/graft.h src/il/body.h src/buf.h src/alloc.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/il/patch.h src/il/stack.h \
 src/budget.h src/inspect/inspector.h src/metadata/image.h src/cursor.h \
 src/metadata/schema.h src/metadata/coded.def src/metadata/resolve.h \
 src/sig/sig.h src/metadata/edit.h src/metadata/heap_build.h
src/inspect/graft.h:
src/il/body.h:
src/buf.h:
src/alloc.h:
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
src/il/patch.h:
src/il/stack.h:
src/budget.h:
src/inspect/inspector.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/metadata/resolve.h:
src/sig/sig.h:
src/metadata/edit.h:
src/metadata/heap_build.h:
