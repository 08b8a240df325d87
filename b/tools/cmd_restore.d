b/tools/cmd_restore.o: tools/cmd_restore.c tools/companion.h \
 tools/file_io.h tools/tool.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def tools/originals.h
tools/companion.h:
tools/file_io.h:
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
tools/originals.h:
