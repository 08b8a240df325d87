b/tools/diff/line_diff.o: tools/diff/line_diff.c tools/diff/line_diff.h
tools/diff/line_diff.h:
