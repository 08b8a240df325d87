b/tools/cmd_verify.o: tools/cmd_verify.c tools/references.h \
 tools/file_io.h tools/tool.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def tools/text_out.h
tools/references.h:
tools/file_io.h:
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
tools/text_out.h:
