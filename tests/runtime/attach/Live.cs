// A program that runs for a while before ilpatch attaches. It waits for lines of standard input: "go" calls everything
// again, "end" ends it. What it prints depends on nothing else.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

public struct Pair
{
    public int Left, Right;
    public override string ToString() => Left + "/" + Right;
}

public static class Live
{
    static int Small(int value) => value + 1;                       // inlined wherever it is called
    static int Twice(int value) => Small(value) + Small(value);     // so is this
    static T Same<T>(T value) => value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Hot(int rounds)
    {
        long sum = 0;
        for (int i = 0; i < rounds; i++)
            sum += Twice(i) & 7;
        return sum;
    }

    // On the stack while the profiler comes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Under(int depth)
    {
        if (depth > 0)
            return Under(depth - 1) + 1;
        Wait();
        return 0;
    }

    static void Wait()
    {
        Console.WriteLine("ready");
        if (Console.ReadLine() != "go")
            throw new Exception("no line to go on");
    }

    static IEnumerable<int> Numbers()
    {
        for (int i = 0; i < 3; i++)
            yield return i;
    }

    static string Work()
    {
        var pair = Same(new Pair { Left = 1, Right = 2 });
        return $"{Hot(20)} {Same(3)} {Same("text")} {pair} {Numbers().Sum()} {new[] { 1.5, 2.5 }.Max()}";
    }

    static void Main(string[] arguments)
    {
        Hot(300_000);                               // long enough for on-stack replacement
        for (int i = 0; i < 3000; i++)
            Hot(10);                                // and often enough to be optimised
        Thread.Sleep(300);
        for (int i = 0; i < 100; i++)
            Work();
        Console.WriteLine(Under(3));
        Console.WriteLine(Work());
        var later = Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, "Later.dll"));
        Console.WriteLine(later.GetType("Later")!.GetMethod("Answer")!.Invoke(null, new object[] { 5 }));
        Console.WriteLine(Under(0) + " " + Hot(4));
    }
}
