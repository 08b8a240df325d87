// Returns N values from a method, and ends as its arguments say.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Ends
{
    [DllImport("libc")] static extern void _exit(int code);
    [DllImport("libc")] static extern void abort();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int One(int i) { return i; }

    static int Main(string[] args)
    {
        long sum = 0;
        for (int i = 0; i < int.Parse(args[0]); i++) { sum += One(i); }
        Console.WriteLine(sum);
        switch (args.Length > 1 ? args[1] : "")
        {
            case "throw": throw new InvalidOperationException("at the end");
            case "fail": Environment.FailFast("at the end"); break;
            case "exit": Environment.Exit(7); break;
            case "_exit": _exit(7); break;
            case "abort": abort(); break;
            case "segv": Marshal.ReadInt32((IntPtr)(-16)); break;
            case "kill": Process.GetCurrentProcess().Kill(); Thread.Sleep(Timeout.Infinite); break;
        }
        return 0;
    }
}
