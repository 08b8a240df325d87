b/src/verify/flow.o: src/verify/flow.c src/verify/frame.h src/il/body.h \
 src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/il/patch.h src/il/stack.h \
 src/verify/member.h src/verify/type.h src/sig/sig.h \
 src/verify/verifier.h src/metadata/resolve.h src/metadata/image.h \
 src/cursor.h src/metadata/schema.h src/metadata/coded.def \
 src/verify/findings.def src/verify/value.h
src/verify/frame.h:
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
src/verify/member.h:
src/verify/type.h:
src/sig/sig.h:
src/verify/verifier.h:
src/metadata/resolve.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/verify/findings.def:
src/verify/value.h:
