// What the unmanaged inspector shows otherwise than the stock one, or alone: each line on standard output is how one of its
// lines has to end.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

enum Color : byte { Red = 1, Blue = 200 }

struct Point { public int X, Y; }

[InlineArray(3)]
struct Three { int first; }

static class Values
{
    static readonly Point[] points = { new Point { X = 1, Y = 2 } };
    static int number = 7;
    static string text = "by reference";

    static Color Enum() { return Color.Blue; }
    static object Boxed() { return 42; }
    static T Same<T>(T value) { return value; }
    static Span<int> Span() { return new int[] { 1, 2, 3 }; }
    static ReadOnlySpan<char> Chars() { return "chars".AsSpan(); }
    static ref int Reference() { return ref number; }
    static ref string TextReference() { return ref text; }
    static ref Point PointReference() { return ref points[0]; }
    static unsafe int* Pointer() { return (int*)0x1234; }
    static IEnumerable<int> Numbers() { yield return 5; yield return 6; }
    static async Task<string> Later() { await Task.Yield(); return "later"; }

    static void Expect(string end) { Console.WriteLine(end); }

    static void Main()
    {
        Enum(); Expect("Values::Enum -> Blue (Color)");
        Boxed(); Expect("Values::Boxed -> 42 (System.Int32)");
        Same(258); Expect("Values::Same -> 258 (System.Int32)");
        Span(); Expect("Values::Span -> [3: 1, 2, 3] (System.Span`1[System.Int32])");
        Chars(); Expect("Values::Chars -> \"chars\" (System.ReadOnlySpan`1[System.Char])");
        Reference() = 8; Expect("Values::Reference -> 7 (System.Int32)");
        TextReference(); Expect("Values::TextReference -> \"by reference\" (System.String)");
        PointReference().X = 3; Expect("Values::PointReference -> {X=1, Y=2} (Point)");
        unsafe { Pointer(); } Expect("Values::Pointer -> 0x1234 (System.UIntPtr)");
        foreach (int number in Numbers()) { Expect("Values::Numbers -> " + number + " (System.Int32)"); }
        Later().Wait(); Expect("Values::Later -> \"later\" (System.String)");
    }
}
