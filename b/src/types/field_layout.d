b/src/types/field_layout.o: src/types/field_layout.c \
 src/types/field_layout.h
src/types/field_layout.h:
