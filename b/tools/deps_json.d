b/tools/deps_json.o: tools/deps_json.c tools/deps_json.h tools/file_io.h \
 tools/tool.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def
tools/deps_json.h:
tools/file_io.h:
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
