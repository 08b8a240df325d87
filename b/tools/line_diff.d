/work/hi/b/tools/line_diff.o: tools/line_diff.c tools/line_diff.h
tools/line_diff.h:
