b/tools/cmd_dump.o: tools/cmd_dump.c tools/file_io.h tools/tool.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def tools/method_text.h src/il/body.h src/buf.h \
 src/alloc.h src/error.h src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/il/patch.h src/il/stack.h \
 src/metadata/image.h src/cursor.h src/metadata/schema.h \
 src/metadata/coded.def tools/text_out.h tools/token_text.h
tools/file_io.h:
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
tools/method_text.h:
src/il/body.h:
src/buf.h:
src/alloc.h:
src/error.h:
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
tools/text_out.h:
tools/token_text.h:
