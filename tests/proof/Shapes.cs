// What the generated part of the program uses: the types of values.txt, objects that stay where they are, and how a value is
// shown as bytes.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

enum OfSByte : sbyte { Value = -5 }
enum OfByte : byte { Value = 0xe5 }
enum OfShort : short { Value = -12345 }
enum OfUShort : ushort { Value = 0xabcd }
enum OfInt { Value = -123456789 }
enum OfUInt : uint { Value = 0xfedcba98 }
enum OfLong : long { Value = -1234567890123456789 }
enum OfULong : ulong { Value = 0xfedcba9876543210 }

struct Empty { }
struct One<T> { public T First; }
struct Two<T, U> { public T First; public U Second; }
struct NestedFloats { public One<float> A; public Two<float, float> B; }
struct NestedDoubles { public One<double> A; public Two<double, double> B; }
struct NestedMixed { public byte A; public Two<short, float> B; }
struct NestedText { public One<string> A; public int B; }
unsafe struct FixedBytes { public fixed byte Items[11]; }
unsafe struct FixedFloats { public fixed float Items[3]; }
unsafe struct Large200 { public fixed byte Items[200]; }
unsafe struct Large500 { public fixed short Items[250]; }
struct LargeObject { public Two<Two<long, long>, Two<double, double>> A, B, C; public object D; }
struct Floats2 { public float X, Y; }
struct Floats3 { public float X, Y, Z; }
struct Floats4 { public float X, Y, Z, W; }
struct Doubles2 { public double X, Y; }
struct Doubles3 { public double X, Y, Z; }
struct Doubles4 { public double X, Y, Z, W; }
struct Mixed16 { public double A; public int B, C; }
struct Object16 { public object A; public IntPtr B; }
struct Long24 { public long A, B, C; }

[StructLayout(LayoutKind.Explicit)]
struct UnionIntFloat { [FieldOffset(0)] public int I; [FieldOffset(0)] public float F; }
[StructLayout(LayoutKind.Explicit)]
struct UnionLongDouble { [FieldOffset(0)] public long L; [FieldOffset(0)] public double D; }
[StructLayout(LayoutKind.Explicit)]
struct UnionBytes { [FieldOffset(0)] public byte B; [FieldOffset(0)] public long L; [FieldOffset(8)] public int M; }
[StructLayout(LayoutKind.Explicit)]
struct UnionMixed { [FieldOffset(0)] public double D; [FieldOffset(8)] public float F; [FieldOffset(8)] public int I; }
[StructLayout(LayoutKind.Explicit)]
struct ExplicitGap { [FieldOffset(1)] public byte A; [FieldOffset(12)] public int B; }
[StructLayout(LayoutKind.Explicit, Size = 11)]
struct ExplicitSize { [FieldOffset(0)] public int A; }
[StructLayout(LayoutKind.Explicit)]
struct ExplicitText { [FieldOffset(0)] public string A; [FieldOffset(8)] public float B; }
[StructLayout(LayoutKind.Sequential, Pack = 1)]
struct Packed<T, U> { public T First; public U Second; }

ref struct RefOne { public int A; }
ref struct RefText { public string A; public double B; }
ref struct RefThree { public long A, B, C; }
#if NET
[InlineArray(3)]
struct InlineInts { int first; }
ref struct RefRef { public ref int A; public int B; }
#endif

interface INode { }
[StructLayout(LayoutKind.Sequential)]
class Node : INode { public int Value = 7; }

static unsafe class Pinned
{
    public static readonly string Text = Keep(new string('p', 6) + "inned");
    public static readonly int[] Numbers = Keep(new[] { 11, -22, 33, -44 });
    public static readonly object Boxed = Keep((object)-5);
    public static readonly Node Node = Keep(new Node());
    public static readonly double[] Doubles = Keep(new[] { 1.1, -2.2 });
    public static readonly Mixed16[] Structs = Keep(new[] { new Mixed16 { A = -1.1, B = 2, C = -3 } });
    public static readonly string[] Texts = { Text };
    public static readonly int* Unmoved = Start();

    static T Keep<T>(T value)
    {
        GCHandle.Alloc(value, GCHandleType.Pinned);
        return value;
    }

    static int* Start()
    {
        int* memory = (int*)Marshal.AllocHGlobal(16);
        for (int i = 0; i < 4; i++) memory[i] = i * 0x1010101;
        return memory;
    }
}

static unsafe class Bits
{
    public static float Float(uint bits) { return *(float*)&bits; }
    public static double Double(ulong bits) { return *(double*)&bits; }
}

// What the forms of methods return.
static class Values
{
    public static int Int = -123456789;
    public static bool Bool = true;
    public static long Long = -1234567890123456789;
    public static float Float = -1.5f;
    public static double Double = -1.1;
    public static decimal Decimal = -79228162514264337593543950.335m;
    public static string Text = Pinned.Text;
    public static Mixed16 Mixed = new Mixed16 { A = -1.1, B = 2, C = -3 };
    public static Object16 Object = new Object16 { A = Pinned.Boxed, B = (IntPtr)(-7) };
    public static Long24 Long24 = new Long24 { A = 1, B = -2, C = 3 };
    public static bool True = true;
    public static volatile int Some = 3;
    public static readonly int Many = 60000;
}

static unsafe partial class Tests
{
    // `name size truth seen`, and of a reference where it should lead to and does. The truth is over a background of zeros
    // at `a` and of ones at `b`: where they differ, or from `from` to `to`, there is padding.
    static void Print(string name, byte* a, byte* b, void* seen, int size, int from, int to, void* target, void* reference)
    {
        string truth = "", got = "";
        for (int i = 0; i < size; i++) truth += a[i] == b[i] && (i < from || i >= to) ? a[i].ToString("x2") : "..";
        for (int i = 0; i < size; i++) got += ((byte*)seen)[i].ToString("x2");
        Console.WriteLine(name + " " + size + " " + truth + " " + got + (target == null ? "" : Place(target) + Place(reference)));
    }

    static string Place(void* at)
    {
        string text = " ";
        for (int i = 0; i < sizeof(void*); i++) text += ((byte*)&at)[i].ToString("x2");
        return text;
    }

    static void Set(byte* to, byte value) { for (int i = 0; i < 512; i++) to[i] = value; }

    // With `passes` the methods are called again, when the runtime has had time to compile them again.
    static int Main(string[] arguments)
    {
        int passes = arguments.Length == 0 ? 1 : int.Parse(arguments[0]);
        for (int i = 0; i < passes; i++) {
            if (i != 0) Thread.Sleep(400);
            All();
        }
        return 100;
    }
}
