b/tools/text_out.o: tools/text_out.c tools/text_out.h src/utf8.h
tools/text_out.h:
src/utf8.h:
