b/tests/test_match: tests/unit/test_match.c tests/unit/rules_test.h \
 src/rules/select.h src/rules/match.h src/rules/rules.h \
 src/rules/pattern.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/rules/vocabulary.h src/error.h \
 include/ilpatch/rules.def src/rules/subject.h src/buf.h src/alloc.h \
 src/budget.h src/types/value_type.h src/metadata/resolve.h \
 src/metadata/image.h src/cursor.h src/metadata/schema.h \
 src/metadata/coded.def src/il/body.h src/il/code.h src/il/opcode.h \
 src/il/opcodes.def src/il/patch.h src/il/stack.h src/sig/sig.h \
 tests/unit/inspect_image.h src/inspect/rewrite.h src/inspect/async.h \
 src/inspect/inspector.h src/inspect/policy.h src/inspect/tail_graph.h \
 tests/unit/metadata_test.h src/metadata/edit.h src/metadata/heap_build.h \
 tests/unit/pe_builder.h tests/unit/image_builder.h
tests/unit/rules_test.h:
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
tests/unit/inspect_image.h:
src/inspect/rewrite.h:
src/inspect/async.h:
src/inspect/inspector.h:
src/inspect/policy.h:
src/inspect/tail_graph.h:
tests/unit/metadata_test.h:
src/metadata/edit.h:
src/metadata/heap_build.h:
tests/unit/pe_builder.h:
tests/unit/image_builder.h:
