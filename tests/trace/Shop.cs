using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;

namespace Shop
{
    /* A program whose calls can be counted by hand. */
    static class Program
    {
        static int Add(int a, int b) { return a + b; }
        static string Name(int i) { return "n" + (i % 3); }
        static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
        static void Throws() { throw new InvalidOperationException("no"); }
        static int Code() { return 3; }

        static void Worker()
        {
            for (int i = 0; i < 3; i++)
            {
                Fib(10);
                Thread.Sleep(5);
            }
        }

        static void Wait()
        {
            Console.WriteLine(Environment.ProcessId);
            for (;;)
            {
                Fib(5);
                Thread.Sleep(5);
            }
        }

        static int Child()
        {
            using var child = Process.Start(Environment.ProcessPath, new[] { "exec", typeof(Program).Assembly.Location });
            child.WaitForExit();
            return child.ExitCode;
        }

        [DllImport("libc")]
        static extern int fork();

        [DllImport("libc")]
        static extern void exit(int code);

        [DllImport("libc")]
        static extern int waitpid(int process, out int status, int options);

        // Native code may make a copy of the process, which ends as any process does.
        static void Copy()
        {
            int copy = fork();
            if (copy == 0)
            {
                exit(0);
            }
            waitpid(copy, out _, 0);
        }

        static int Main(string[] arguments)
        {
            switch (arguments.Length == 0 ? "" : arguments[0])
            {
                case "wait": Wait(); break;
                case "child": return Child();
                case "copy": Fib(3); Copy(); break;
            }
            int sum = 0;
            for (int i = 0; i < 100; i++)
            {
                sum += Add(i, i * 2) + Name(i).Length;
            }
            try
            {
                Throws();
            }
            catch (InvalidOperationException)
            {
                sum++;
            }
            var worker = new Thread(Worker) { Name = "worker" };
            worker.Start();
            worker.Join();
            Console.WriteLine(sum);
            return Code();
        }
    }
}
