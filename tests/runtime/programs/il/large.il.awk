# Writes large.il: bodies and clauses at sizes that are too large to read as text.
# Size and offset limits are those of II.25.4.6: a small clause has 16 bits for an offset, 8 for a length, and a
# small section has room for 20 clauses.

function nops(n) {
    for (; n >= 20; n -= 20)
        print "    nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop"
    for (; n > 0; n--)
        print "    nop"
}

function method(name, stack) {
    print "\n  .method static int32 " name "(int32 a) cil managed\n  {\n    .maxstack " stack
}

# Remembers a call for Main.
function check(name, want, arg) {
    checks = checks "    ldstr \"" name "\"\n    ldc.i4 " want "\n    ldc.i4 " arg \
             "\n    call int32 Large.Program::" name "(int32)\n    call void T::IsInt(string, int32, int32)\n"
}

# 70,000 bytes: 200 arms of 350 bytes with a ret each. The switch reaches all of them, a branch spans everything,
# another goes back from the end.
function big(    i) {
    method("Big", 2)
    print "    ldarg.0\n    ldc.i4 1000\n    beq END\n  START:\n    ldarg.0\n    switch ("
    for (i = 0; i < 200; i++)
        print "      A" i (i < 199 ? "," : ")")
    print "    ldc.i4.m1\n    ret"
    for (i = 0; i < 200; i++) {
        print "  A" i ":\n    ldc.i4 " i * 3
        nops(344)
        print "    ret"
    }
    print "  END:\n    ldc.i4.s 100\n    starg.s a\n    br START\n  }"
    check("Big", 0, 0)
    check("Big", 300, 100)
    check("Big", 597, 199)
    check("Big", -1, 200)
    check("Big", 300, 1000)
}

# 1,000 rets: the code grows from 12 to 28 KB and each branch by another distance.
function many(    i) {
    method("Many", 2)
    for (i = 0; i < 1000; i++)
        print "    ldarg.0\n    ldc.i4 " i "\n    bne.un.s N" i "\n    ldc.i4 " 1000 - i "\n    ret\n  N" i ":"
    print "    ldc.i4.m1\n    ret\n  }"
    check("Many", 1000, 0)
    check("Many", 1, 999)
    check("Many", -1, 1000)
}

# A small clause whose try block starts at 65,520 and ends before 65,536: two rets in front of it move it past what
# 16 bits hold.
function far() {
    method("Far", 2)
    print "    .locals init (int32 result)"
    print "    ldarg.0\n    brtrue N1\n    ldc.i4.1\n    ret\n  N1:"                      # 8 bytes
    print "    ldarg.0\n    ldc.i4.0\n    bge N2\n    ldc.i4.2\n    ret\n  N2:"          # 9
    nops(65520 - 17)
    print "    .try\n    {\n      ldc.i4.3\n      stloc.0\n      leave.s DONE\n    }"
    print "    finally\n    {\n      ldloc.0\n      ldc.i4.1\n      add\n      stloc.0\n      endfinally\n    }"
    print "  DONE:\n    ldloc.0\n    ret\n  }"
    check("Far", 1, 0)
    check("Far", 2, -5)
    check("Far", 4, 5)
}

# A try block of 255 bytes, then a handler: both leave by a short branch over rets. The branches become long, the
# try block 258 bytes, and 8 bits no longer hold that.
function try_length() {
    method("TryLength", 2)
    print "    .try\n    {"
    nops(255 - 6)
    print "      ldc.i4.6\n      ldarg.0\n      div\n      pop\n      leave.s DONE\n    }"
    print "    catch [mscorlib]System.DivideByZeroException\n    {\n      pop\n      leave.s CAUGHT\n    }"
    print "    ldc.i4.0\n    ret"
    nops(100)
    print "  CAUGHT:\n    ldc.i4.1\n    ret"
    nops(127 - 3 - 2 - 100 - 2)
    print "  DONE:\n    ldc.i4.2\n    ret\n  }"
    check("TryLength", 1, 0)
    check("TryLength", 2, 1)
}

# The same for the handler.
function handler_length() {
    method("HandlerLength", 2)
    print "    .try\n    {\n      ldc.i4.6\n      ldarg.0\n      div\n      pop\n      leave NOT\n    }"
    print "    catch [mscorlib]System.DivideByZeroException\n    {\n      pop"
    nops(255 - 3)
    print "      leave.s CAUGHT\n    }"
    print "  NOT:\n    ldc.i4.2\n    ret"
    nops(127 - 2)
    print "  CAUGHT:\n    ldc.i4.1\n    ret\n  }"
    check("HandlerLength", 1, 0)
    check("HandlerLength", 2, 1)
}

# n clauses one after the other; the first ret is before all of them.
function clauses(n,    i) {
    method("Clauses" n, 3)
    print "    .locals init (int32 sum)\n    ldarg.0\n    brtrue.s GO\n    ldc.i4.0\n    ret\n  GO:"
    for (i = 1; i <= n; i++) {
        print "    .try\n    {\n      ldarg.0\n      ldarg.0\n      ldc.i4 " i "\n      sub\n      div\n      pop\n      leave.s E" i "\n    }"
        print "    catch [mscorlib]System.DivideByZeroException\n    {\n      pop\n      ldloc.0\n      ldc.i4.s 100\n      add\n      stloc.0\n      leave.s E" i "\n    }"
        print "  E" i ":\n    ldloc.0\n    ldc.i4.1\n    add\n    stloc.0"
    }
    print "    ldloc.0\n    ret\n  }"
    check("Clauses" n, 0, 0)
    check("Clauses" n, n, -1)
    check("Clauses" n, n + 100, n)
}

BEGIN {
    print "// Made by large.il.awk.\n\n.assembly large { }\n.module large.exe\n"
    print ".class public auto ansi beforefieldinit Large.Program extends [mscorlib]System.Object\n{"
    big()
    many()
    far()
    try_length()
    handler_length()
    clauses(20)
    clauses(21)
    clauses(60)
    print "\n  .method static int32 Main() cil managed\n  {\n    .entrypoint\n    .maxstack 3"
    printf "%s", checks
    print "    call int32 T::Done()\n    ret\n  }\n}"
}
