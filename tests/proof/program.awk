# Prints the program whose methods return everything: for each one a method of a class Returns... and a test, which says what
# was to be returned and what came (Print in Shapes.cs). What was to be returned is made again beside the call.
#
#   awk -v net=1|0 -v rows=FILE -f ../runtime/native/fields.awk -f program.awk values.txt
#
# FILE gets "method|row of the table" for each method, in order.

function trim(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }

# The C# of one method and its test. `method` is the method, `call` how it is called; `set` are statements that make v.
function test(row, name, type, method, call, set, from, to) {
    print name "|" row > rows
    print method
    print "static unsafe partial class Tests { static void " name "() {"
    print "    byte* a = stackalloc byte[512]; byte* b = stackalloc byte[512]; Set(a, 0); Set(b, 255);"
    print "    Make" name "((" type "*)a); Make" name "((" type "*)b);"
    print "    " type " v = " call ";"
    print "    Print(\"" name "\", a, b, &v, sizeof(" type "), " (from == "" ? "0, 0" : from ", " to) ", null, null);"
    print "}"
    print "static void Make" name "(" type "* to) { " set " }\n}"
    tests[++count] = name
}

function value(row, name, type, set, from, to,    body) {
    body = set
    if (sub(/^= */, "", set)) {
        body = "return " set ";"
        set = "*to = " set ";"
    } else {
        body = type " v = default(" type "); " set " return v;"
        gsub(/v[.]/, "to->", set)
        gsub(/v\[/, "(*to)[", set)
    }
    test(row, name, type, "unsafe partial class Returns { " quiet "public static " type " " name "() { " body " } }", "Returns." name "()", set, from, to)
}

# ---- structs of every size ----

function emit(row, name, packed, n,    i, text) {
    printf "%sstruct S_%s {", packed ? "[StructLayout(LayoutKind.Sequential, Pack = 1)] " : "", name
    for (i = 0; i < fields; i++) {
        printf " public %s f%d;", types[i], i
        text = text "v.f" i " = " number(types[i], n, i) "; "
    }
    print " }"
    value(row, name, "S_" name, text)
    fields = 0
}

function structs(    n, i, k, left) {
    for (n = 1; n <= 64; n++) {
        for (i = 0; i < n; i++) add("byte")
        emit("structs of bytes, 1–64 bytes", "bytes" n, 0, n)
        fill(n, "long", "int", "short")
        emit("structs of integers, 1–64 bytes", "ints" n, 1, n)
        fill(n, "double", "float", "")
        emit("structs of floats and doubles, 1–64 bytes", "floats" n, 1, n)
        for (left = n; left >= 8; left -= 8) add((n + left) / 8 % 2 < 1 ? "long" : "double")
        for (; left >= 4; left -= 4) add(n % 8 > 5 ? "float" : "int")
        fill(left, "long", "int", "short")
        emit("structs of both, 1–64 bytes", "mixed" n, 1, n)
    }
    for (n = 1; n <= 12; n++) for (k = 1; k <= 5; k++) {
        for (i = 0; i < k; i++) add(cycle[(n + i - 1) % 12 + 1])
        emit("structs of both, with padding", "padded" n "x" k, 0, n)
    }
    for (n = 8; n <= 64; n++) { # a reference, then as many bytes
        add("object")
        if (n >= 40) add("object")
        fill(n - (n >= 40 ? 16 : 8), n % 3 ? "long" : "double", n % 2 ? "int" : "float", "short")
        emit("structs with references, 8–64 bytes", "refs" n, 0, n)
    }
}

# ---- forms of methods ----

function form(row, name, method, call,    k, parts, m, c, full) {
    for (k = 1; k <= kinds; k++) {
        split(kind[k], parts, "=")
        full = name "_" parts[1]
        m = method; c = call
        gsub(/TYPE/, parts[2], m); gsub(/TYPE/, parts[2], c)
        gsub(/VALUE/, "Values." parts[3], m); gsub(/VALUE/, "Values." parts[3], c)
        gsub(/NAME/, full, m); gsub(/NAME/, full, c)
        test(row, full, parts[2], "unsafe " m, c, "*to = Values." parts[3] ";")
    }
}

function forms() {
    kinds = split("bool=bool=Bool int=int=Int long=long=Long float=float=Float double=double=Double decimal=decimal=Decimal text=string=Text " \
                  "mixed16=Mixed16=Mixed object16=Object16=Object long24=Long24=Long24", kind, " ")
    form("instance methods", "instance", "partial class Returns { " quiet "public TYPE NAME() { return VALUE; } }", "new Returns().NAME()")
    form("virtual methods", "virtual", "abstract class BaseNAME { public abstract TYPE NAME(); } class ReturnsNAME : BaseNAME { " quiet "public override TYPE NAME() { return VALUE; } }",
         "((BaseNAME)new ReturnsNAME()).NAME()")
    form("methods of interfaces", "interface", "interface INAME { TYPE NAME(); } class ReturnsNAME : INAME { " quiet "public TYPE NAME() { return VALUE; } }",
         "((INAME)new ReturnsNAME()).NAME()")
    form("methods of structs", "struct", "partial struct ReturnsStruct { " quiet "public TYPE NAME() { return VALUE; } }", "new ReturnsStruct().NAME()")
    form("generic methods", "generic", "partial class Returns { " quiet "public static T NAME<T>(T value) { return value; } }", "Returns.NAME(VALUE)")
    form("methods of generic classes", "generic_class", "partial class ReturnsGeneric<T> { " quiet "public T NAME(T value) { return value; } }", "new ReturnsGeneric<TYPE>().NAME(VALUE)")
    form("synchronized methods", "synchronized", "partial class Returns { [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.Synchronized)] public static TYPE NAME() { return VALUE; } }",
         "Returns.NAME()")
    form("return in try with finally", "finally", "partial class Returns { " quiet "public static TYPE NAME() { try { return VALUE; } finally { Values.Some++; } } }", "Returns.NAME()")
    form("return in catch", "catch", "partial class Returns { " quiet "public static TYPE NAME() { try { if (Values.True) throw new InvalidOperationException(); } " \
         "catch (InvalidOperationException) { return VALUE; } return default(TYPE); } }", "Returns.NAME()")
    form("methods with stackalloc", "stackalloc", "partial class Returns { " quiet "public static TYPE NAME() { byte* room = stackalloc byte[Values.Some + 40]; room[Values.Some] = 1; " \
         "Values.Some += room[Values.Some] - 1; return VALUE; } }", "Returns.NAME()")
    form("methods with a long loop", "loop", "partial class Returns { " quiet "public static TYPE NAME() { int sum = 0; for (int i = 0; i < Values.Many; i++) sum += Values.Some & i; " \
         "if (sum < 0) return default(TYPE); return VALUE; } }", "Returns.NAME()")
    form("methods with ten arguments", "arguments", "partial class Returns { " quiet "public static TYPE NAME(long a, double b, int c, float d, string e, Long24 f, long g, long h, double i, long j) " \
         "{ return a + b + c + d + g + h + i + j < 0 ? default(TYPE) : VALUE; } }", "Returns.NAME(1, 2, 3, 4, null, Values.Long24, 5, 6, 7, 8)")
    if (!net) return
    kinds = split("int=int=Int long=long=Long float=float=Float double=double=Double mixed16=Mixed16=Mixed long24=Long24=Long24", kind, " ")
    form("methods for native callers", "native_caller", "partial class Returns { [UnmanagedCallersOnly] public static TYPE NAME() { return VALUE; } }",
         "((delegate* unmanaged<TYPE>)&Returns.NAME)()")
}

# ---- references ----

function byref(name, type, target) {
    print name "|ref returns" > rows
    print "unsafe partial class Returns { " quiet "public static ref " type " " name "() { return ref " target "; } }"
    print "static unsafe partial class Tests { static void " name "() {"
    print "    fixed (" type "* target = &" target ") fixed (" type "* v = &Returns." name "())"
    print "        Print(\"" name "\", (byte*)target, (byte*)target, v, sizeof(" type "), 0, 0, target, v);\n}\n}"
    tests[++count] = name
}

BEGIN {
    FS = "|"
    quiet = "[MethodImpl(MethodImplOptions.NoInlining)] "
    print "using System; using System.Collections.Generic; using System.Runtime.CompilerServices; using System.Runtime.InteropServices;"
    if (net) print "using System.Numerics; using System.Runtime.Intrinsics;"
    structs()
}
/^#/ || NF < 5 { next }
trim($3) == "net" && !net { next }
{
    split(trim($6), gap, " ")
    value(trim($1), trim($2), trim($4), trim($5), gap[1], gap[2])
}
END {
    byref("ref_int", "int", "Pinned.Numbers[1]")
    byref("ref_double", "double", "Pinned.Doubles[1]")
    byref("ref_struct", "Mixed16", "Pinned.Structs[0]")
    byref("ref_text", "string", "Pinned.Texts[0]")
    forms()
    print "static unsafe partial class Tests { static void All() {"
    for (i = 1; i <= count; i++) printf " %s();", tests[i]
    print " }\n}"
}
