// What the example profilers look at: values of several sizes, a small method that would be inlined, generics, threads.
using System;
using System.Threading;
using System.Runtime.CompilerServices;

struct Point { public int X; public int Y; }

static class Program
{
    public static int Small(int value) { return value + 1; } /* inlined, if it may be */
    [MethodImpl(MethodImplOptions.NoInlining)] public static int Choose(int value) { if (value > 1) return -1; return value; }
    [MethodImpl(MethodImplOptions.NoInlining)] public static Point Place(int x) { return new Point { X = x, Y = 2 }; }
    [MethodImpl(MethodImplOptions.NoInlining)] public static T Same<T>(T value) { return value; }
    [MethodImpl(MethodImplOptions.NoInlining)] public static string Text() { return "text"; }
    static int Hot(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += Small(i) & 1; return sum; }

    static int Main()
    {
        int sum = 0;
        var threads = new Thread[4];
        for (int i = 0; i < threads.Length; i++)
        {
            int number = i;
            threads[i] = new Thread(() => Interlocked.Add(ref sum, Choose(number)));
            threads[i].Start();
        }
        foreach (var thread in threads) thread.Join();
        Console.WriteLine(sum + Same(1) + Same("a").Length + (int)Same(2.0) + Place(5).X + Text().Length + Hot(40000));
        return 7;
    }
}
