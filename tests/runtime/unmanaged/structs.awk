# A C# program with structs of random fields and layouts, each returned once: awk -v seed=1 -v count=100 -f structs.awk
# All fields have values of their own, so that one read from the wrong place is seen.

function pick(n) { return int(rand() * n) }

function literal(type) {
    serial++
    if (type == "bool") return serial % 2 ? "true" : "false"
    if (type == "char") return "(char)" (65 + serial % 26)
    if (type == "byte") return serial % 256
    if (type == "sbyte") return "(sbyte)" (serial % 128)
    if (type == "short" || type == "ushort") return "(" type ")" (serial % 32768)
    if (type == "int" || type == "uint") return serial * 7919
    if (type == "long" || type == "ulong") return serial "00000007L"
    if (type == "float") return serial ".25f"
    if (type == "double") return serial ".1"
    if (type == "decimal") return serial ".50m"
    if (type == "string") return "\"s" serial "\""
    if (type == "IntPtr") return "new IntPtr(" serial ")"
    if (type == "int[]") return "new int[" serial % 9 "]"
    if (type == "Uri") return serial % 2 ? "null" : "new Uri(\"http://a\")"
    if (type == "long?") return serial % 2 ? serial "00000003L" : "null"
    if (type == "decimal?") return serial ".25m"
    if (type == "bool?") return serial % 3 ? "true" : "null"
    if (type == "nint") return "(nint)" serial
    if (type == "Index") return "new Index(" serial ", true)"
    if (type ~ /^ValueTuple/) return "((byte)" serial % 256 ", " serial "L, (short)" serial % 999 ")"
    if (type ~ /^Pair<Pair/) return "new " type "(new Pair<byte,long>(" serial % 256 ", " serial "), (short)" serial % 999 ")"
    if (type ~ /^Pair<string,Pair/) return "new " type "(\"p" serial "\", new Pair<byte,long>(" serial % 256 ", " serial "))"
    if (type == "Three") return "default(Three)"
    if (type == "int?") return serial % 3 ? serial : "null"
    if (type == "Guid") return "new Guid(" serial ", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"
    if (type == "TimeSpan") return "new TimeSpan(" serial "123456789)"
    if (type == "DateTime") return "new DateTime(63" serial % 9 "123456789012345)"
    if (type ~ /^Pair/) return "new " type "(" literal(type ~ /^Pair<string/ ? "string" : "byte") ", " literal("long") ")"
    return "S" substr(type, 2) ".Make()"
}

BEGIN {
    srand(seed)
    many = split("bool char byte sbyte short ushort int uint long ulong float double decimal IntPtr Guid TimeSpan DateTime int? Pair<byte,long> long? decimal? bool? nint Index ValueTuple<byte,long,short> Pair<Pair<byte,long>,short> Three", plain, " ")
    more = split("string int[] Uri Pair<string,long> Pair<string,Pair<byte,long>>", held, " ")
    print "using System; using System.Runtime.InteropServices; using System.Runtime.CompilerServices;"
    print "[InlineArray(3)] struct Three { short first; }"
    print "struct Pair<A, B> { public A First; public B Second; public Pair(A first, B second) { First = first; Second = second; } }"
    for (i = 0; i < count; i++) {
        layout = pick(8)
        references = layout != 7 && pick(3) == 0
        fields = 1 + pick(7)
        if (layout == 0) print "[StructLayout(LayoutKind.Auto)]"
        if (layout == 1) print "[StructLayout(LayoutKind.Sequential, Pack = " 2 ^ pick(4) ")]"
        if (layout == 2) print "[StructLayout(LayoutKind.Sequential, Size = " 32 * (1 + pick(6)) ")]"
        if (layout == 7) print "[StructLayout(LayoutKind.Explicit)]"
        body = ""; made = ""
        for (f = 0; f < fields; f++) {
            nested = i > 4 && layout != 7 && pick(6) == 0
            type = nested ? "S" pick(i) : references && pick(2) ? held[1 + pick(more)] : plain[1 + pick(many)]
            if (layout == 7) {
                type = plain[1 + pick(12)]
                body = body "[FieldOffset(" 8 * f + (type == "byte" ? pick(8) : 0) ")] "
            }
            body = body "public " type " f" f "; "
            made = made "s.f" f " = " literal(type) "; "
        }
        print "struct S" i " { " body
        print "  [MethodImpl(MethodImplOptions.NoInlining)] public static S" i " Make() { S" i " s = default; " made "return s; } }"
    }
    print "static class Program { static void Main() {"
    for (i = 0; i < count; i++) {
        print "  S" i ".Make();"
    }
    print "} }"
}
