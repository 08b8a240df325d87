// Threads that call, and collectible contexts that are loaded and unloaded, all the time. What is in them has a method inlined
// that is inspected here, so the runtime has to do with them when that one is compiled again.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

public static class Busy
{
    static volatile bool over;
    static readonly int[] rounds = new int[8];

    static T Same<T>(T value) => value;
    public static int Small(int value) => value + 1;
    static string Text(int value) => "text " + Same(value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Round(int number)
    {
        if (Text(number) != "text " + number || Same("a") != "a" || Same(1.5) != 1.5)
            throw new Exception("wrong");
        Thread.Sleep(1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Context()
    {
        var context = new AssemblyLoadContext("passing", true);
        var passing = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "Passing.dll"));
        if (passing.GetType("Passing")!.GetMethod("Answer")!.Invoke(null, new object[] { 2 }) is not 5)
            throw new Exception("wrong");
        context.Unload();
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    static void Repeat(int number)
    {
        while (!over)
        {
            if (number % 2 == 1)
                Round(number);
            else
                Context();
            Interlocked.Increment(ref rounds[number]);
        }
    }

    // Until each thread has gone that often through what it does, however long that takes here.
    static void Wait(int times)
    {
        int[] before = (int[])rounds.Clone();
        while (rounds.Where((count, number) => Volatile.Read(ref rounds[number]) < before[number] + times).Any())
            Thread.Sleep(1);
    }

    static void Main()
    {
        var threads = Enumerable.Range(0, rounds.Length).Select(number => new Thread(() => Repeat(number))).ToList();
        threads.ForEach(thread => thread.Start());
        Wait(10);
        Console.WriteLine("ready");
        Console.ReadLine();
        Wait(15);
        over = true;
        threads.ForEach(thread => thread.Join());
        Console.WriteLine("over");
    }
}
