b/tests/test_decode: tests/unit/test_decode.c tests/unit/il_test.h \
 src/il/body.h src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/il/patch.h src/il/stack.h
tests/unit/il_test.h:
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
