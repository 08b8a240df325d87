// Value types that only newer core libraries have: CoreCLR only (newer.txt).

#if NET
using System;
using System.Numerics;
using System.Text;
using MyProfiler;

record struct Money(decimal Amount, string Currency);

struct Captured(int start)
{
    public readonly int Next() { return start + 1; }
}

unsafe struct Functions
{
    public delegate*<void> Managed;
    public delegate* unmanaged<int, int> Native;
}

[System.Runtime.CompilerServices.InlineArray(4)]
struct Four
{
    int first;
}

static class Newer
{
    public static void All()
    {
        Show(new DateOnly(2024, 2, 29)); Show(new TimeOnly(23, 59, 58, 7));
        Show(Int128.MinValue); Show(UInt128.MaxValue); Show((Half)0.1); Show(Half.NaN);
        Show(new Rune('a')); Show(new Rune('\n')); Show(new Rune(0x1f600));
        Show((nint)(-1)); Show((nuint)5);
        Show(new Index(3, true)); Show(1..^2);
        Show(new Money(1.50m, "EUR")); Show(new Captured(4)); Show(new Functions()); Show(new Four());
        Show(new Vector2(1.5f, -2)); Show(new Complex(1, 2).Real);
        Show((1, "b", 2.5, 'c'));
        Show(new ReadOnlyMemory<char>().Length);
    }

    static void Show(object value)
    {
        Helper.MyInspector(value);
    }
}
#endif
