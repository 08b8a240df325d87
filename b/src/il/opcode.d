b/src/il/opcode.o: src/il/opcode.c src/il/opcode.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/il/opcodes.def
src/il/opcode.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/il/opcodes.def:
