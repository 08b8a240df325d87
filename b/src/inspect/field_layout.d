/work/hi/b/src/inspect/field_layout.o: src/inspect/field_layout.c \
 src/inspect/field_layout.h
src/inspect/field_layout.h:
