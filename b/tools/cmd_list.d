b/tools/cmd_list.o: tools/cmd_list.c src/inspect/inspector.h \
 src/metadata/image.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/cursor.h src/metadata/schema.h \
 src/error.h src/metadata/coded.def src/metadata/resolve.h src/sig/sig.h \
 src/buf.h src/alloc.h tools/report.h tools/request.h tools/companion.h \
 tools/file_io.h tools/tool.h tools/references.h tools/text_out.h
src/inspect/inspector.h:
src/metadata/image.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
src/metadata/resolve.h:
src/sig/sig.h:
src/buf.h:
src/alloc.h:
tools/report.h:
tools/request.h:
tools/companion.h:
tools/file_io.h:
tools/tool.h:
tools/references.h:
tools/text_out.h:
