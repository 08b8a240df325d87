// Returns N values from a method, in THREADS besides the first as well, and ends as its arguments say: Recorded N [HOW [THREADS]].
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Recorded
{
    [DllImport("libc")] static extern void _exit(int code);
    [DllImport("libc")] static extern void abort();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int One(int i) { return i; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Endless(int i) { return Endless(i + 1) + 1; }

    static long Sum(int count)
    {
        long sum = 0;
        for (int i = 0; i < count; i++) { sum += One(i); }
        return sum;
    }

    // They go on living.
    static void Start(int threads, int count)
    {
        using (CountdownEvent done = new CountdownEvent(threads))
        {
            for (int i = 0; i < threads; i++)
            {
                Thread thread = new Thread(() => { Sum(count); done.Signal(); Thread.Sleep(Timeout.Infinite); });
                thread.IsBackground = true;
                thread.Start();
            }
            done.Wait();
        }
    }

    static void End(string how)
    {
        switch (how)
        {
            case "throw": throw new InvalidOperationException("at the end");
            case "fail": Environment.FailFast("at the end"); break;
            case "exit": Environment.Exit(7); break;
            case "_exit": _exit(7); break;
            case "abort": abort(); break;
            case "segv": Marshal.ReadInt32((IntPtr)(-16)); break;
            case "overflow": Endless(0); break;
            case "kill": Process.GetCurrentProcess().Kill(); Thread.Sleep(Timeout.Infinite); break;
            case "wait": Console.WriteLine(Environment.ProcessId); Thread.Sleep(Timeout.Infinite); break;
            case "run": Console.WriteLine(Environment.ProcessId); for (;;) { Sum(1000); Console.WriteLine("1000"); }
        }
    }

    static int Main(string[] args)
    {
        int count = int.Parse(args[0]);
        string how = args.Length > 1 ? args[1] : "";
        long sum = Sum(count);
        if (args.Length > 2) { Start(int.Parse(args[2]), count); }
        Console.WriteLine(sum);
        if (how.StartsWith("other-"))
        {
            new Thread(() => End(how.Substring(6))).Start();
            Thread.Sleep(Timeout.Infinite);
        }
        End(how);
        return 0;
    }
}
