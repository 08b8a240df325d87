/work/hi/b/tools/method_lines.o: tools/method_lines.c \
 tools/method_lines.h tools/method_text.h src/il/body.h src/buf.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/il/code.h \
 src/alloc.h src/il/opcode.h src/error.h src/il/opcodes.def \
 src/il/patch.h src/il/stack.h src/metadata/image.h src/cursor.h \
 src/metadata/schema.h src/metadata/coded.def tools/tool.h
tools/method_lines.h:
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
tools/tool.h:
