// Arguments and returned values of every kind, as a trace shows them.
using System;
using System.Collections.Generic;

struct Point { public int X; public double Y; }
struct Big { public long A, B, C, D; public string S; }
enum Answer { No, Yes }
class Thing { }

class Pair<A, B>
{
    public A First(A a, B b) { A first = Choose(a, b); return first; }
    A Choose<C>(A a, C other) { return a; }
}

static class Values
{
    static int Add(int a, int b) { return a + b; }
    static string Text(string s, char c, bool b, double d, float f, decimal m) { return s + c; }
    static Point Move(Point p, in Point by) { return new Point { X = p.X + by.X, Y = p.Y * by.Y }; }
    static Big Change(Big b, long l) { b.S += "!"; b.D = l; return b; }
    static Answer Numbers(Answer e, byte a, sbyte b, ushort c, ulong d) { return Answer.Yes; }
    static object Objects(object o, Thing t, int[] a, List<string> l) { return o; }
    static void Nothing(ref int x) { x++; }
    static int? Maybe(int? a, DateTime d, Guid g) { return a; }
    static (int, string) Tuple((int, string) t, TimeSpan s) { return t; }
    static double Divide(double a, float b) { return a / b; }
    static T Same<T>(T t) { return t; }
    static int Throws(int n) { if (n > 0) { throw new InvalidOperationException(); } return n; }
    static int Many(int a, int b, int c, int d, int e, int f, int g, int h, long i, double j) { return h; }
    // As many as are shown, and one more: then none is.
    static int Most(byte p1, byte p2, byte p3, byte p4, byte p5, byte p6, byte p7, byte p8, byte p9, byte p10,
        byte p11, byte p12, byte p13, byte p14, byte p15, byte p16, byte p17, byte p18, byte p19, byte p20, byte p21,
        byte p22, byte p23, byte p24, byte p25, byte p26, byte p27, byte p28, byte p29, byte p30, byte p31, byte p32,
        byte p33, byte p34, byte p35, byte p36, byte p37, byte p38, byte p39, byte p40, byte p41, byte p42, byte p43,
        byte p44, byte p45, byte p46, byte p47, byte p48, byte p49, byte p50, byte p51, byte p52, byte p53, byte p54,
        byte p55, byte p56, byte p57, byte p58, byte p59, byte p60, byte p61, byte p62, byte p63,
        byte p64) { return p64; }
    static int TooMany(byte p1, byte p2, byte p3, byte p4, byte p5, byte p6, byte p7, byte p8, byte p9, byte p10,
        byte p11, byte p12, byte p13, byte p14, byte p15, byte p16, byte p17, byte p18, byte p19, byte p20, byte p21,
        byte p22, byte p23, byte p24, byte p25, byte p26, byte p27, byte p28, byte p29, byte p30, byte p31, byte p32,
        byte p33, byte p34, byte p35, byte p36, byte p37, byte p38, byte p39, byte p40, byte p41, byte p42, byte p43,
        byte p44, byte p45, byte p46, byte p47, byte p48, byte p49, byte p50, byte p51, byte p52, byte p53, byte p54,
        byte p55, byte p56, byte p57, byte p58, byte p59, byte p60, byte p61, byte p62, byte p63, byte p64,
        byte p65) { return p65; }

    static void Main()
    {
        int x = 1;
        Add(1, -2);
        Text("h\u00E9\n", 'x', true, 1.5, 2.5f, 3.50m);
        Move(new Point { X = 1, Y = 2 }, new Point { X = 3, Y = 4 });
        Change(new Big { A = 1, S = "b" }, 9);
        Numbers(Answer.No, 255, -1, 65535, ulong.MaxValue);
        Objects("o", null, new[] { 1, 2, 3 }, new List<string>());
        Nothing(ref x);
        Maybe(4, new DateTime(2020, 1, 2, 3, 4, 5), Guid.Empty);
        Maybe(null, default, default);
        Tuple((1, "t"), TimeSpan.FromSeconds(90));
        Divide(1, 3);
        Same(5);
        Same(2.5m);
        Same("five");
        Same(Answer.Yes);
        Same(new Point { X = 8 });
        new Pair<int, string>().First(3, "x");
        new Pair<Point, long>().First(new Point { X = 4 }, 5);
        try { Throws(1); } catch (InvalidOperationException) { }
        Many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5);
        Most(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
            29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
            55, 56, 57, 58, 59, 60, 61, 62, 63, 64);
        TooMany(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
            28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
            54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65);
        Console.WriteLine(x);
    }
}
