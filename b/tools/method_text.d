b/tools/method_text.o: tools/method_text.c tools/method_text.h \
 src/il/body.h src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/il/patch.h src/il/stack.h \
 src/metadata/image.h src/cursor.h src/metadata/schema.h \
 src/metadata/coded.def tools/token_text.h tools/tool.h src/utf8.h
tools/method_text.h:
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
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
tools/token_text.h:
tools/tool.h:
src/utf8.h:
