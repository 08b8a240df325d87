# Writes locals.il: methods with so many locals, with and without `init`, whose values have to stay: the guard adds one
# after them, which has a number of one byte up to 255. And what a local of the returned type has to hold.

function checked(name, want) {
    checks = checks "    ldstr \"" name "\"\n    ldc.i4 " want "\n    call int32 Locals.Program::" name \
             "()\n    call void T::IsInt(string, int32, int32)\n"
}

# The last local holds the value, and all are read again after a ret that is not taken.
function locals(n, init,    i, name) {
    name = "Locals" n (init == "" ? "Bare" : "")
    print "\n  .method static int32 " name "() cil managed\n  {\n    .maxstack 2"
    if (n > 0) {
        print "    .locals " init " ("
        for (i = 0; i < n; i++)
            print "      int32 v" i (i < n - 1 ? "," : ")")
        for (i = 0; i < n; i++)
            print "    ldc.i4 " i "\n    stloc " i
        print "    ldloc 0\n    brtrue NEVER\n    ldloc " n - 1
        for (i = 0; i < n; i += 50)
            print "    ldloc " i "\n    add"
        print "    ret\n  NEVER:\n    ldc.i4.m1\n    ret\n  }"
    } else {
        print "    ldc.i4.0\n    ret\n  }"
    }
    for (sum = n > 0 ? n - 1 : 0; i > 0 && n > 0; )
        sum += (i -= 50)
    checked(name, sum)
}

BEGIN {
    print ".assembly locals { }\n.module locals.exe\n"
    print ".class public abstract sealed auto ansi beforefieldinit Locals.Program extends [mscorlib]System.Object\n{"
    print "  .field static int32 slot"
    split("0 1 3 4 5 253 254 255 256 257 300 1000", counts, " ")
    for (c = 1; c in counts; c++) {
        locals(counts[c], "init")
        if (counts[c] > 0)
            locals(counts[c], "")
    }

    # Without `init` localloc leaves what was there, and the new local does not change that where there are others.
    print "\n  .method static int32 Dirty() cil managed\n  {\n    .maxstack 2\n    .locals (native int p)"
    print "    ldc.i4 64\n    localloc\n    stloc.0\n    ldloc.0\n    ldc.i4.7\n    stind.i4\n    ldloc.0\n    ldind.i4\n    ret\n  }"
    checked("Dirty", 7)
    print "\n  .method static int32 Clean() cil managed\n  {\n    .maxstack 2\n    .locals init (native int p)"
    print "    ldc.i4 64\n    localloc\n    stloc.0\n    ldloc.0\n    ldc.i4.4\n    add\n    ldind.i4\n    ret\n  }"
    checked("Clean", 0)

    # Locals that point into one another, and pinned ones.
    print "\n  .method static int32 Address() cil managed\n  {\n    .maxstack 2\n    .locals init (int32 a, int32& r, int32 pinned& q)"
    print "    ldloca.s a\n    stloc.1\n    ldsflda int32 Locals.Program::slot\n    stloc.2\n    ldloc.1\n    ldc.i4.5\n    stind.i4"
    print "    ldloc.2\n    ldc.i4.3\n    stind.i4\n    ldloc.0\n    ldsfld int32 Locals.Program::slot\n    add\n    ret\n  }"
    checked("Address", 8)

    # A reference to a field, kept in a local while the inspector runs.
    print "\n  .method static int32& Reference() cil managed\n  {\n    .maxstack 1\n    ldsflda int32 Locals.Program::slot\n    ret\n  }"
    checks = checks "    call int32& Locals.Program::Reference()\n    ldc.i4.s 9\n    stind.i4\n"
    print "\n  .method static int32 Slot() cil managed\n  {\n    .maxstack 1\n    ldsfld int32 Locals.Program::slot\n    ret\n  }"
    checked("Slot", 9)

    # 30 rets, thus 30 clauses, which no small section has room for, after one of the method's own.
    print "\n  .method static int32 Clauses(int32 a) cil managed\n  {\n    .maxstack 2\n    .locals init (int32 n)"
    print "    .try { ldarg.0\n ldc.i4.s 100\n div\n stloc.0\n leave GO }"
    print "    catch [mscorlib]System.Object { pop\n ldc.i4.m1\n stloc.0\n leave GO }\n  GO:\n    ldarg.0\n    switch ("
    for (i = 0; i < 30; i++)
        print "      A" i (i < 29 ? "," : ")")
    print "    ldloc.0\n    ret"
    for (i = 0; i < 30; i++)
        print "  A" i ":\n    ldc.i4 " i * 7 "\n    ret"
    print "  }"
    for (i = 0; i < 31; i += 6)
        checks = checks "    ldstr \"Clauses\"\n    ldc.i4 " (i < 30 ? i * 7 : 0) "\n    ldc.i4 " i \
                 "\n    call int32 Locals.Program::Clauses(int32)\n    call void T::IsInt(string, int32, int32)\n"

    print "\n  .method static int32 Main() cil managed\n  {\n    .entrypoint\n    .maxstack 4"
    printf "%s", checks
    print "    call int32 T::Done()\n    ret\n  }\n}"
}
