// Structs and classes whose fields are not aligned.
using System;
using System.Runtime.InteropServices;

[StructLayout(LayoutKind.Sequential, Pack = 1)] struct P<T> { public byte A; public T B; }
[StructLayout(LayoutKind.Sequential, Pack = 1)] struct Straight { public long A; public int B; public short C; public byte D; }
[StructLayout(LayoutKind.Sequential, Pack = 2)] struct Two { public short A; public int B; public byte C; }
[StructLayout(LayoutKind.Explicit)] struct At { [FieldOffset(0)] public byte A; [FieldOffset(3)] public int B; [FieldOffset(8)] public int C; }
[StructLayout(LayoutKind.Sequential, Pack = 1)] class Object { public byte A = 1; public long B = 2; }
[StructLayout(LayoutKind.Sequential, Pack = 1)] class Derived : Object { public byte C = 3; public int D = 4; }
struct Small { public byte A; public short B; }
enum Kind : long { Some = 5 }

static class Packed
{
    static P<T> Of<T>(T value) { return new P<T> { A = 1, B = value }; }
    static P<short> Short() { return Of((short)2); }
    static P<int> Int() { return Of(3); }
    static P<long> Long() { return Of(4L); }
    static P<float> Float() { return Of(1.5f); }
    static P<double> Double() { return Of(2.5); }
    static P<char> Char() { return Of('c'); }
    static P<Kind> Enum() { return Of(Kind.Some); }
    static P<IntPtr> Native() { return Of((IntPtr)7); }
    static P<byte> Byte() { return Of((byte)8); }
    static P<Small> Struct() { return Of(new Small { A = 1, B = 2 }); }
    static P<decimal> Decimal() { return Of(3.25m); }
    static P<int?> Perhaps() { return Of((int?)9); }
    static P<P<int>> Nested() { return Of(Of(10)); }
    static Straight Aligned() { return new Straight { A = 1, B = 2, C = 3, D = 4 }; }
    static Two ByTwo() { return new Two { A = 1, B = 2, C = 3 }; }
    static At Explicit() { return new At { A = 1, B = 2, C = 3 }; }
    static Object Class() { return new Object(); }
    static Derived DerivedClass() { return new Derived(); }

    static void Main()
    {
        Short(); Int(); Long(); Float(); Double(); Char(); Enum(); Native(); Byte(); Struct(); Decimal(); Perhaps(); Nested();
        Aligned(); ByTwo(); Explicit(); Class(); DerivedClass();
    }
}
