// Cost CALLS THREADS [wait]: calls a method that returns an int, shared by threads, and prints what a call took: ns by the clock, and
// ns of CPU of the whole process. With "wait" it says "ready" before, and waits for a line, so that a profiler can be brought in.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

static class Cost
{
    static int sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int One(int value) { return value; }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static void Call(int calls)
    {
        int total = 0;
        for (int i = 0; i < calls; i++) { total += One(i); }
        sum = total;
    }

    // Until the JIT has compiled One for the last time.
    static void WarmUp()
    {
        for (int i = 0; i < 4; i++) { Call(100); Thread.Sleep(150); }
    }

    static void Main(string[] args)
    {
        int calls = int.Parse(args[0]), count = int.Parse(args[1]);
        if (args.Length > 2)
        {
            WarmUp();
            Console.WriteLine("ready");
            Console.ReadLine();
        }
        WarmUp();
        var threads = new Thread[count];
        for (int i = 0; i < count; i++) { threads[i] = new Thread(() => Call(calls / count)); }
        TimeSpan cpu = Process.GetCurrentProcess().TotalProcessorTime;
        long begin = Stopwatch.GetTimestamp();
        foreach (Thread thread in threads) { thread.Start(); }
        foreach (Thread thread in threads) { thread.Join(); }
        TimeSpan time = Stopwatch.GetElapsedTime(begin);
        cpu = Process.GetCurrentProcess().TotalProcessorTime - cpu;
        Console.WriteLine("ns " + Math.Round(time.TotalNanoseconds / calls, 1) + " " + Math.Round(cpu.TotalNanoseconds / calls, 1));
    }
}
