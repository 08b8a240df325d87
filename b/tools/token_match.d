/work/hi/b/tools/token_match.o: tools/token_match.c tools/token_match.h \
 src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/metadata/image.h src/alloc.h \
 src/cursor.h src/metadata/schema.h src/error.h src/metadata/coded.def \
 tools/token_text.h src/il/body.h src/il/code.h src/il/opcode.h \
 src/il/opcodes.def src/il/patch.h src/il/stack.h tools/tool.h
tools/token_match.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/metadata/image.h:
src/alloc.h:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
tools/token_text.h:
src/il/body.h:
src/il/code.h:
src/il/opcode.h:
src/il/opcodes.def:
src/il/patch.h:
src/il/stack.h:
tools/tool.h:
