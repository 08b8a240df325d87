b/tools/cmd_diff.o: tools/cmd_diff.c tools/diff/diff_out.h \
 tools/diff/method_diff.h tools/diff/method_lines.h tools/method_text.h \
 src/il/body.h src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/code.h src/alloc.h src/il/opcode.h \
 src/error.h src/il/opcodes.def src/il/patch.h src/il/stack.h \
 src/metadata/image.h src/cursor.h src/metadata/schema.h \
 src/metadata/coded.def tools/diff/text_keys.h tools/diff/token_match.h \
 tools/diff/method_pairs.h tools/file_io.h tools/tool.h
tools/diff/diff_out.h:
tools/diff/method_diff.h:
tools/diff/method_lines.h:
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
tools/diff/text_keys.h:
tools/diff/token_match.h:
tools/diff/method_pairs.h:
tools/file_io.h:
tools/tool.h:
