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
        Console.WriteLine(x);
    }
}
