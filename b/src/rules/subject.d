b/src/rules/subject.o: src/rules/subject.c src/rules/subject.h src/buf.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/budget.h \
 src/types/value_type.h src/metadata/resolve.h src/metadata/image.h \
 src/alloc.h src/cursor.h src/metadata/schema.h src/error.h \
 src/metadata/coded.def src/il/body.h src/il/code.h src/il/opcode.h \
 src/il/opcodes.def src/il/patch.h src/il/stack.h src/sig/sig.h \
 src/types/names.h
src/rules/subject.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/budget.h:
src/types/value_type.h:
src/metadata/resolve.h:
src/metadata/image.h:
src/alloc.h:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
src/il/body.h:
src/il/code.h:
src/il/opcode.h:
src/il/opcodes.def:
src/il/patch.h:
src/il/stack.h:
src/sig/sig.h:
src/types/names.h:
