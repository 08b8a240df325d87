// Output COUNT THREADS END [CHILDREN]: each thread returns THREAD * 1000000000 + 0, 1 ... from a method, COUNT of them; then the
// process ends in one of many ways. With CHILDREN so many copies of it do the same; with "parent COMMAND..." as END
// that runs once they are returned, and then as many follow.
using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Output
{
    [DllImport("libc")] static extern void _exit(int code);
    [DllImport("libc")] static extern void exit(int code);
    [DllImport("libc")] static extern void abort();
    [DllImport("libc")] static extern int fork();
    [DllImport("libc")] static extern int waitpid(int process, IntPtr status, int options);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long One(long value) { return value; }

    static void Return(int thread, int from, int to)
    {
        for (int i = from; i < to; i++) { One(thread * 1000000000L + i); }
    }

    static void Start(int count, int threads)
    {
        var all = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            int thread = i;
            all[i] = new Thread(() => Return(thread, 0, count));
            all[i].Start();
        }
        foreach (Thread thread in all) { thread.Join(); }
    }

    // The next ones of the first thread, at each line of the input; after a negative number of them it ends at once.
    static void Serve(int from)
    {
        Console.WriteLine("ready " + Environment.ProcessId);
        for (string line; (line = Console.ReadLine()) != null;)
        {
            int more = int.Parse(line);
            Return(0, from, from + Math.Abs(more));
            if (more < 0) { Process.GetCurrentProcess().Kill(); Thread.Sleep(Timeout.Infinite); }
            from += more;
            Console.WriteLine(from);
        }
    }

    static void End(string how, int count)
    {
        switch (how)
        {
            case "throw": throw new InvalidOperationException("at the end");
            case "fail": Environment.FailFast("at the end"); break;
            case "exit": Environment.Exit(7); break;
            case "_exit": _exit(7); break;
            case "native-exit": exit(7); break;
            case "abort": abort(); break;
            case "segv": Marshal.ReadInt32((IntPtr)(-16)); break;
            case "kill": Process.GetCurrentProcess().Kill(); Thread.Sleep(Timeout.Infinite); break;
            case "serve": Serve(count); break;
            case "on": Console.WriteLine("ready " + Environment.ProcessId); Return(0, count, int.MaxValue); break;
            case "fork":
                int copy = fork();
                if (copy == 0) { One(-1); _exit(0); }
                waitpid(copy, IntPtr.Zero, 0);
                Return(0, count, count + 10);
                _exit(7);
                break;
            case "later":
                Console.WriteLine("leaves");
                Thread.Sleep(2000);
                Return(0, count, count + 1000);
                Process.GetCurrentProcess().Kill();
                break;
        }
    }

    static int Main(string[] args)
    {
        int count = int.Parse(args[0]), threads = int.Parse(args[1]);
        if (args[2] == "parent")
        {
            Start(count, threads);
            Process.Start(new ProcessStartInfo(args[3], args[4..])).WaitForExit();
            Return(0, count, 2 * count);
            return 0;
        }
        int children = args.Length > 3 ? int.Parse(args[3]) : 0;
        if (children != 0)
        {
            var all = new Process[children];
            for (int i = 0; i < children; i++)
            {
                var start = new ProcessStartInfo(Environment.ProcessPath) { RedirectStandardOutput = args[2] == "later" };
                start.ArgumentList.Add(Assembly.GetExecutingAssembly().Location);
                for (int j = 0; j < 3; j++) { start.ArgumentList.Add(args[j]); }
                all[i] = Process.Start(start);
            }
            foreach (Process child in all)
            {
                if (args[2] == "later") { child.StandardOutput.ReadLine(); } else { child.WaitForExit(); }
            }
            return 0;
        }
        Start(count, threads);
        End(args[2], count);
        return 0;
    }
}
