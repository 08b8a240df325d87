// Calls whose tree is known: exceptions through several methods, threads, and one that counts until it is stopped.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

static class Paths
{
    static volatile int counted;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Deep(int levels)
    {
        if (levels == 0)
        {
            throw new InvalidOperationException();
        }
        return Deep(levels - 1) + 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Caught()
    {
        try
        {
            return Deep(2);
        }
        catch (InvalidOperationException)
        {
            return After();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int After() => 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Work()
    {
        for (int i = 0; i < 100; i++)
        {
            Caught();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static object Allocated() => new byte[1000];

    static int Count() => ++counted;

    static void Main(string[] arguments)
    {
        if (arguments.Length > 0)
        {
            // Until a line comes: the one who attaches decides how long.
            new Thread(() => { Console.ReadLine(); Environment.Exit(Count() > 1000000000 ? 1 : 0); }).Start();
            Console.WriteLine("ready");
            while (true)
            {
                Count();
                Thread.Sleep(10);
            }
        }
        var threads = new Thread[4];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(Work);
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Work();
        for (int i = 0; i < 10; i++)
        {
            GC.KeepAlive(Allocated());
        }
    }
}
