b/tests/test_line_diff: tests/unit/test_line_diff.c \
 tools/diff/line_diff.c tools/diff/line_diff.h
tools/diff/line_diff.c:
tools/diff/line_diff.h:
