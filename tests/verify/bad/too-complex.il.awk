# Many joins with many values: keeping them all would take the square of the code's size.
BEGIN {
    n = 300
    print "// expects: too-complex"
    print ".class public C extends [mscorlib]System.Object {\n.method public static void M() cil managed {\n.maxstack " n + 1
    for (i = 0; i < n; i++) print "ldc.i4.0"
    for (i = 0; i < n; i++) print "ldc.i4.0\nbrtrue L" i
    for (i = 0; i < n; i++) print "L" i ":"  (i % 2 ? " nop" : " nop nop")
    for (i = 0; i < n; i++) print "pop"
    print "ret\n}\n}"
}
