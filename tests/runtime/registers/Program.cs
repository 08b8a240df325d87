// Methods that have something in each register that hooks must leave: arguments, values, and what a tail call is given. The
// calls in Tail* get the prefix by `ilpatch tail add`.
using System;
using System.Runtime.CompilerServices;

struct Pair { public long A, B; }
struct Point { public double X, Y; }
struct Mixed { public long N; public double X; }

static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Sum(long a, long b, long c, long d, long e, long f) { return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double Floats(double a, double b, double c, double d, double e, double f, double g, double h)
    {
        return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Whole(long n) { return n * 2654435761; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double Half(double x) { return x / 2 + 0.25; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Pair Two(long n) { Pair p; p.A = n + 1; p.B = n * 3; return p; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Point Place(double x) { Point p; p.X = x + 1; p.Y = x * 3; return p; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Mixed Both(long n) { Mixed m; m.N = n + 7; m.X = n / 4.0; return m; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long TailWhole(long n) { return Whole(Whole(n)); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long TailMany(long n) { return Sum(Whole(n), n, n + 1, Whole(n + 2), n + 3, Whole(n + 4)); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long TailSecond(long n) { return Whole(Two(n).B); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double TailHalf(double x) { return Half(Half(x)); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double TailFloats(double x) { return Floats(x, Half(x), x + 2, 3, 4, 5, x, Half(x + 1)); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double TailY(double x) { return Half(Place(x).Y); }

    static void Main()
    {
        for (int i = 0; i < 40; i++)
        {
            Pair pair = Two(i);
            Point point = Place(i);
            Mixed mixed = Both(i);
            Console.WriteLine("{0} {1} {2} {3} {4} {5} {6} {7} {8} {9}", Sum(i, 2, 3, 4, 5, i + 6), Floats(i, 2, 3, 4, 5, 6, 7, i + 8),
                pair.A, pair.B, point.X, point.Y, mixed.N, mixed.X, Whole(i), Half(i));
            Console.WriteLine("{0} {1} {2} {3} {4} {5}", TailWhole(i), TailMany(i), TailSecond(i), TailHalf(i), TailFloats(i), TailY(i));
        }
    }
}
