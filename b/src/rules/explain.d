b/src/rules/explain.o: src/rules/explain.c src/rules/select.h \
 src/rules/match.h src/rules/rules.h src/rules/pattern.h src/alloc.h \
 src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def \
 src/rules/vocabulary.h src/error.h include/ilpatch/rules.def \
 src/rules/subject.h src/buf.h src/alloc.h src/budget.h \
 src/types/value_type.h src/metadata/resolve.h src/metadata/image.h \
 src/cursor.h src/metadata/schema.h src/metadata/coded.def src/il/body.h \
 src/il/code.h src/il/opcode.h src/il/opcodes.def src/il/patch.h \
 src/il/stack.h src/sig/sig.h
src/rules/select.h:
src/rules/match.h:
src/rules/rules.h:
src/rules/pattern.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/rules/vocabulary.h:
src/error.h:
include/ilpatch/rules.def:
src/rules/subject.h:
src/buf.h:
src/alloc.h:
src/budget.h:
src/types/value_type.h:
src/metadata/resolve.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/il/body.h:
src/il/code.h:
src/il/opcode.h:
src/il/opcodes.def:
src/il/patch.h:
src/il/stack.h:
src/sig/sig.h:
