b/src/verify/member.o: src/verify/member.c src/verify/member.h \
 src/verify/type.h src/sig/sig.h src/alloc.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/buf.h src/alloc.h src/verify/verifier.h \
 src/metadata/resolve.h src/metadata/image.h src/cursor.h \
 src/metadata/schema.h src/error.h src/metadata/coded.def \
 src/verify/findings.def src/verify/type_table.h
src/verify/member.h:
src/verify/type.h:
src/sig/sig.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/buf.h:
src/alloc.h:
src/verify/verifier.h:
src/metadata/resolve.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
src/verify/findings.def:
src/verify/type_table.h:
