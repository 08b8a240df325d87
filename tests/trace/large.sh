#!/bin/sh
# A script for make_spool with a tree of more than 100,000 nodes: 320 methods, each below each.
awk 'BEGIN {
    print "process 9 1700000000000000000 large"
    for (i = 1; i <= 320; i++) printf "method %d L.dll L m%d void\n", i, i
    print "thread 1 9"
    for (i = 1; i <= 320; i++) { printf "> %d\n", i; for (k = 1; k <= 320; k++) printf "repeat 2 %d\n", k; printf "< %d\n", i }
    print "end\nexit"
}'
