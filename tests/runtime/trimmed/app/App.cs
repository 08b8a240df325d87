// A value of each kind, from methods that the trimmer keeps: it inlines what only returns a constant.

using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

enum Level : sbyte { Low = -1, None, High }

[Flags]
enum Paint { Red = 1, Green = 2, Blue = 4 }

struct Point
{
    public int X;
    public double Y;
    public string Name { get; set; }
    public Level? Level;
}

// Numbers that are not aligned, but for Align and Small. With a reference among them the runtime would place them itself.
[StructLayout(LayoutKind.Sequential, Pack = 1)]
struct Packed
{
    public byte Align;
    public short Short;
    public ushort Mark;
    public char Letter;
    public int Number;
    public uint Unsigned;
    public long Long;
    public ulong Most;
    public float Half;
    public double Third;
    public nint Native;
    public Wide Wide;
    public Level Small;
    public Pair Pair;
}

struct Pair
{
    public byte A;
    public long B;
}

enum Wide : short { Some = 5 }

class Shape
{
    public override string ToString() => "a shape";
}

static class App
{
    const MethodImplOptions Kept = MethodImplOptions.NoInlining;

    [MethodImpl(Kept)] static bool Bool(int n) => n > 1;
    [MethodImpl(Kept)] static int Int(int n) => -n;
    [MethodImpl(Kept)] static ulong Long(int n) => ulong.MaxValue / (ulong)n;
    [MethodImpl(Kept)] static double Double(int n) => n / 10.0;
    [MethodImpl(Kept)] static float Float(int n) => n / 3f;
    [MethodImpl(Kept)] static decimal Decimal(int n) => n * 1.50m;
    [MethodImpl(Kept)] static char Char(int n) => (char)('a' + n);
    [MethodImpl(Kept)] static string String(int n) => "two\nlines " + n;
    [MethodImpl(Kept)] static Level Enum(int n) => (Level)(n - 2);
    [MethodImpl(Kept)] static Level Unnamed(int n) => (Level)(-n);
    [MethodImpl(Kept)] static Paint Flags(int n) => (Paint)(n + 4);
    [MethodImpl(Kept)] static Point Struct(int n) => new Point { X = n, Y = n / 2.0, Name = "p", Level = (Level)(n - 2) };
    [MethodImpl(Kept)] static Packed Packs(int n) => new Packed
    {
        Align = (byte)n, Short = (short)-n, Mark = (ushort)(ushort.MaxValue / n), Letter = (char)('a' + n), Number = int.MinValue / n, Unsigned = uint.MaxValue / (uint)n,
        Long = long.MinValue / n, Most = ulong.MaxValue / (ulong)n, Half = n / 2f, Third = n / 10.0, Native = n + 28, Wide = (Wide)(n + 2), Small = (Level)(n - 2),
        Pair = new Pair { A = 1, B = n }
    };
    [MethodImpl(Kept)] static int? Some(int n) => n > 0 ? n : null;
    [MethodImpl(Kept)] static object Null(int n) => n > 0 ? null : "";
    [MethodImpl(Kept)] static Shape Object(int n) => new Shape();
    [MethodImpl(Kept)] static int[] Array(int n) => new int[n];
    [MethodImpl(Kept)] static int[,] Table(int n) => new int[n, 2];
    [MethodImpl(Kept)] static nint Address(int n) => n + 28;
    [MethodImpl(Kept)] static DateTime Date(int n) => new DateTime(2024, 2, 26 + n, 23, 59, 58, DateTimeKind.Utc);
    [MethodImpl(Kept)] static T Same<T>(T value) => value;
    [MethodImpl(Kept)] static Span<int> ByRefLike(int n) => new int[n];

    static async Task<int> Later(int n)
    {
        await Task.Yield();
        return n;
    }

    [MethodImpl(Kept)] static void Throws(int n) => throw new InvalidOperationException("n is " + n);

    static void Fail(int n)
    {
        try
        {
            Throws(n);
        }
        catch (InvalidOperationException)
        {
        }
    }

    static int Main(string[] args)
    {
        int n = 3 + args.Length;
        Fail(n);
        Console.WriteLine(String(n).Length + Int(n));
        _ = (Bool(n), Long(n), Double(n), Float(n), Decimal(n), Char(n), Enum(n), Unnamed(n), Flags(n), Flags(n + 1), Struct(n), Packs(n));
        _ = (Some(n), Some(-n), Null(n), Object(n), Array(n), Table(n), Address(n), Date(n), Same("x"), Same(n));
        return ByRefLike(n).Length + Later(n).Result;
    }
}
