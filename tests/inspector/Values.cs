// Values for the inspector, one method per group; compiled for CoreCLR and for Mono, and the same
// text is expected from both (values.txt).

using System;
using System.Collections.Generic;
using MyProfiler;

enum Color { Red = 1, Green = 2, Crimson = 1, Blue = 4 }
enum Small : sbyte { Low = -128, MinusOne = -1, High = 127 }
enum Huge : ulong { Top = 0x8000000000000000, All = ulong.MaxValue }
[Flags] enum Paint { None = 0, Red = 1, Green = 2, Blue = 4, Purple = Red | Blue }
[Flags] enum Bits : long { Sign = long.MinValue, One = 1 }
[Flags] enum NoZero { One = 1 }

struct Empty { }

struct Point
{
    public int X;
    int y;
    public Point(int x, int y) { X = x; this.y = y; }
    public int Y { get { return y; } }
}

struct Auto
{
    public string Name { get; set; }
    public double Weight { get; set; }
    static int shared = 7;
    public int Shared { get { return shared; } }
}

// default(Precise) has not run it, and neither may the inspector.
struct Precise
{
    public int X;
#if !NET || NET9_0_OR_GREATER
    static Precise() { Loud.Calls++; }
#else
    static Precise() { }        // .NET 8 runs it when a value is boxed
#endif
}

struct Level4 { public int Deep; }
struct Level3 { public Level4 Four; public int Three; }
struct Level2 { public Level3 Three; public int Two; }
struct Level1 { public Level2 Two; public int One; }

struct Wide
{
    public byte A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R;
}

struct Sixteen
{
    public byte A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P;
}

struct Mixed
{
    public Color Color;
    public int? Some, None;
    public string Text, NoText;
    public object Boxed;
    public Loud Loud;
    public int[] Array;
    public char Char;
    public Guid Guid;
}

unsafe struct Pointers
{
    public int* Null;
    public void* Set;
    public byte** Deeper;
    public IntPtr Native;
    public UIntPtr Unsigned;
}

unsafe struct Fixed
{
    public fixed short Numbers[2];
}

struct Strings
{
    public string A, B, C, D, E, F;
}

struct Pair<TFirst, TSecond>
{
    public TFirst First;
    public TSecond Second;
}

// Its ToString shows that it was called.
class Loud
{
    public static int Calls;
    public override string ToString() { Calls++; return "Loud!"; }
}

struct LoudStruct : IFormattable
{
    public int N;
    public override string ToString() { Loud.Calls++; return "LoudStruct!"; }
    public string ToString(string format, IFormatProvider provider) { Loud.Calls++; return "Formatted!"; }
}

class Outer { public class Inner<T> { } }

delegate void Handler();

static class Values
{
    static void Show(object value)
    {
        Helper.MyInspector(value);
    }

    public static void All()
    {
        Names();
        Primitives();
        Floats();
        Texts();
        Enums();
        WellKnown();
        Structs();
        Objects();
        Show(Loud.Calls);
    }

    static void Names()
    {
        Helper.MyInspector(42, "Ns.Type::Method");
        Helper.MyInspector(null, "Ns.Type::Method");
        Helper.MyInspector("text", "");
        Helper.MyInspector(null);
        Helper.MyInspector(1, "Odd\nname\u2028here\ud800::M");
        Helper.MyInspector(2, new string('n', 5000));
    }

    static void Primitives()
    {
        Show(true); Show(false);
        Show(sbyte.MinValue); Show(byte.MaxValue); Show(short.MinValue); Show(ushort.MaxValue);
        Show(int.MinValue); Show(uint.MaxValue); Show(long.MinValue); Show(ulong.MaxValue);
        Show(0); Show(-1);
        foreach (char c in "a'\"\\\0\a\b\t\n\v\f\r\u001b\u007f\u0085\u00e9\u2028\u202e\u20ac\ud83d\ufeff\uffff")
        {
            Show(c);
        }
        Show(0m); Show(1.10m); Show(-79228162514264337593543950335m); Show(0.0000000000000000000000000001m);
        Show(IntPtr.Zero); Show(new IntPtr(0x1f)); Show(new UIntPtr(0xdeadbeef));
    }

    static void Floats()
    {
        foreach (double d in new double[] {
            0, -0.0, 1, -1, 0.1, 1.5, 1.0 / 3, 100, 1e14, 1e15, 1e16, 123456789012345, 1234567890123456,
            12345678901234567, 123456789012345678, 0.001, 0.0001, 0.00001, 0.000123, 9.5367431640625e-07,
            5e-324, 1e-323, 2.2250738585072014E-308, 2.2250738585072009E-308, double.MaxValue, double.MinValue,
            double.Epsilon, Math.PI, Math.E, 9007199254740993, 9007199254740992, 4503599627370496.5, 1e21, 1e22, 1e23,
            5.684341886080801e-14, 6.2230152778611417e-61, 2e-44, double.NaN, double.PositiveInfinity, double.NegativeInfinity })
        {
            Show(d);
        }
        foreach (float f in new float[] {
            0, -0.0f, 1, 0.1f, 1.1f, 1e6f, 1e7f, 1e8f, 16777216, 12345678, 123456792, 0.0001f, 0.00001f, 1.401298E-45f,
            float.MaxValue, 1.17549435E-38f, 3.4028235e10f, (float)Math.PI, float.NaN, float.PositiveInfinity,
            float.NegativeInfinity })
        {
            Show(f);
        }
    }

    static void Texts()
    {
        Show(""); Show("plain"); Show("two\nlines\r\n"); Show("quote \" slash \\ apostrophe '");
        Show("\0\u0001\u001b[31m\u007f\u009b\u2028\u2029\u202e\u2066\ufeff");
        Show("é € \ud83d\ude00 \u4e2d"); Show("lone \ud83d and \ude00"); Show("\ud83d");
        Show(new string('x', 200)); Show(new string('x', 201)); Show(new string('y', 1234567));
        Show(new string('x', 199) + "\ud83d\ude00" + "tail");
        Show(new string('\u0001', 200)); Show(new string('\n', 1000)); Show(new string('\u4e2d', 300));
    }

    static void Enums()
    {
        Show(Color.Red); Show(Color.Crimson); Show(Color.Blue); Show((Color)3); Show((Color)0); Show((Color)(-5));
        Show(Small.Low); Show(Small.MinusOne); Show((Small)5);
        Show(Huge.Top); Show(Huge.All); Show((Huge)7);
        Show(Paint.None); Show(Paint.Red | Paint.Green); Show(Paint.Purple); Show(Paint.Purple | Paint.Green);
        Show((Paint)9); Show((Paint)8); Show((Paint)(-1));
        Show(Bits.Sign); Show(Bits.Sign | Bits.One); Show((Bits)0); Show((NoZero)0);
        Show(DayOfWeek.Friday); Show(AttributeTargets.Class | AttributeTargets.Struct);
    }

    static void WellKnown()
    {
        Show(new DateTime(2024, 2, 29, 23, 59, 58, 7)); Show(new DateTime(2024, 2, 29, 0, 0, 0, DateTimeKind.Utc));
        Show(DateTime.MinValue); Show(DateTime.MaxValue);
        Show(new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.FromMinutes(-330)));
        Show(TimeSpan.Zero); Show(new TimeSpan(-1, 2, 3, 4, 5)); Show(TimeSpan.MaxValue);
        Show(Guid.Empty); Show(new Guid("00112233-4455-6677-8899-aabbccddeeff"));
        Show(new KeyValuePair<int, string>(1, "one"));
        Show(new ValueTuple<int, string, double>(1, "two", 3.5)); Show(new ValueTuple());
        Show((int?)5); Show((int?)null);
    }

    static unsafe void Structs()
    {
        Show(new Empty()); Show(new Point(1, -2)); Show(new Auto { Name = "a\"b", Weight = 0.1 });
        Show(new Precise()); Show(new Pair<Precise?, Precise> { First = new Precise() });
        Show(new Level1()); Show(new Wide { A = 1, P = 16, R = 18 }); Show(new Sixteen { P = 16 });
        Show(new Mixed
        {
            Color = Color.Green, Some = 3, Text = "t", Boxed = 1.5f, Loud = new Loud(), Array = new int[2], Char = '\n'
        });
        Show(new Pointers { Set = (void*)0x1234, Deeper = (byte**)8, Native = new IntPtr(9), Unsigned = new UIntPtr(10) });
        Show(new Fixed());
        string s = new string('s', 300);
        Show(new Strings { A = s, B = s, C = s, D = s, E = s, F = s });
        Show(new Pair<Pair<int, string>, Color> { First = new Pair<int, string> { First = 1, Second = "x" } });
        Show(new LoudStruct { N = 5 });
        Show(new Pair<object, Type> { First = new List<int>(), Second = null });
    }

    static void Objects()
    {
        Show(new object()); Show(new Loud()); Show(new Exception("secret")); Show(new List<string> { "a" });
        Show(new Dictionary<int, List<string>>()); Show(new Outer.Inner<int>()); Show(new Handler(Objects));
        Show(new { Name = "x" }.Name); Show(new System.Text.StringBuilder("long"));
        Show(new int[3]); Show(new string[0]); Show(new int[2, 3]); Show(new int[4][]); Show(new int[2][,]); Show(new int[5, 6][]);
        Show(Array.CreateInstance(typeof(int), new int[] { 3 }, new int[] { 2 }).Length);
        Show(Array.CreateInstance(typeof(Color), new int[] { 3, 4 }, new int[] { 2, -1 }));
        Show(new Point[1]); Show(new Dictionary<string, Point>[7]);
        Show(LongType(12));
    }

    // List<List<List<...>>>: the name alone would be longer than a line.
    static object LongType(int depth)
    {
        Type type = typeof(int);
        for (int i = 0; i < depth; i++)
        {
            type = typeof(List<>).MakeGenericType(type);
        }
        return Activator.CreateInstance(type);
    }
}
