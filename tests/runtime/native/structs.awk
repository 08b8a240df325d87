# Prints a C# program: for every size from 1 to 64 a struct of bytes, one of integers and one of floating-point numbers, and
# mixed ones with padding, each returned by a method of Returns; and Main, which prints "name size bytes" for what it gets.
# A byte of padding, which may be anything, is "..". With fields.awk in front.

function emit(name, packed, n,    i) {
    printf "%sstruct S_%s {", packed ? "[StructLayout(LayoutKind.Sequential, Pack = 1)] " : "", name
    for (i = 0; i < fields; i++) printf " public %s f%d;", types[i], i
    printf " }\npartial class Returns { public static S_%s %s() { S_%s v = new S_%s();", name, name, name, name
    for (i = 0; i < fields; i++) printf " v.f%d = %s;", i, number(types[i], n, i)
    printf " return v; } }\nstatic partial class Tests { public static unsafe void %s() { S_%s v = Returns.%s();", name, name, name
    printf " byte* a = stackalloc byte[128]; byte* b = stackalloc byte[128]; Set(a, 0); Set(b, 255);"
    for (i = 0; i < fields; i++) printf " ((S_%s*)a)->f%d = v.f%d; ((S_%s*)b)->f%d = v.f%d;", name, i, i, name, i, i
    printf " Print(\"Returns::%s\", a, b, sizeof(S_%s)); } }\n", name, name
    calls = calls " Tests." name "();"
    fields = 0
}

BEGIN {
    print "using System; using System.Runtime.InteropServices;"
    for (n = 1; n <= 64; n++) {
        for (i = 0; i < n; i++) add("byte")
        emit("bytes" n, 0, n)
        fill(n, "long", "int", "short")
        emit("ints" n, 1, n)
        fill(n, "double", "float", "")
        emit("floats" n, 1, n)
    }
    for (n = 1; n <= 12; n++) for (k = 1; k <= 5; k++) {
        for (i = 0; i < k; i++) add(cycle[(n + i - 1) % 12 + 1])
        emit("mixed" n "x" k, 0, n)
    }
    print "static partial class Tests {"
    print "    static unsafe void Set(byte* to, byte value) { for (int i = 0; i < 128; i++) to[i] = value; }"
    print "    static unsafe void Print(string name, byte* a, byte* b, int size) {"
    print "        string text = name + \" \" + size + \" \";"
    print "        for (int i = 0; i < size; i++) text += a[i] == b[i] ? a[i].ToString(\"x2\") : \"..\";"
    print "        Console.WriteLine(text);"
    print "    }"
    print "    static int Main() {" calls " return 100; }"
    print "}"
}
