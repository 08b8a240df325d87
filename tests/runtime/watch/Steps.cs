// For each line of standard input: a number makes some calls with it; "inlined" says whether Tiny has a frame of its own; "busy" lets
// two threads call until "idle", "churn" does as well, and a third one allocates and collects.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

public record Couple(int left, string right);

public static class Steps
{
    static volatile bool busy;
    static long wrong;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Add(int left, int right) => left + right;

    static int Small(int value) => value + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Name(int number) => "n" + number;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Couple Pair(int number) => new Couple(number, "x");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Text(int number) => string.Concat("text ", number.ToString());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Fails(int number) => number > 0 ? throw new ArgumentException("bad") : number;

    static string All(int number)
    {
        int sum = Add(number, 2) + Small(number);
        try
        {
            Fails(number);
        }
        catch (ArgumentException)
        {
            sum++;
        }
        return Name(number) + Pair(number) + Text(number) + sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Depth() => new StackTrace().FrameCount;

    static int Tiny() => Depth();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Many(int number) => number & 1;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static int Inlined() => Tiny() - Depth();

    static void Work()
    {
        for (int i = 0; busy; i++)
            if (Add(i, 1) != i + 1 || Small(i) != i + 1 || Name(i & 7).Length != 2 || Pair(i).left != i)
                Interlocked.Increment(ref wrong);
    }

    static void Collect()
    {
        for (int i = 0; busy; i++)
        {
            var lists = new object[64];
            for (int j = 0; j < lists.Length; j++)
                lists[j] = new byte[1000 + j];
            GC.Collect(i % 8 == 0 ? 2 : 0, GCCollectionMode.Forced, true, true);
            GC.KeepAlive(lists);
        }
    }

    static void Main()
    {
        Thread[] threads = { };
        Console.WriteLine("ready");
        for (string line; (line = Console.ReadLine()!) != null;)
            switch (line)
            {
                case "inlined":
                    Console.WriteLine(Inlined());
                    break;
                case "many":
                    int sum = 0;
                    for (int i = 0; i < 3000000; i++)
                        sum += Many(i);
                    Console.WriteLine(sum);
                    break;
                case "slow":
                    Console.WriteLine("slow");
                    break;
                case "busy":
                case "churn":
                    busy = true;
                    threads = new[] { new Thread(Work), new Thread(Work) };
                    if (line == "churn")
                        threads = new[] { threads[0], threads[1], new Thread(Collect) };
                    foreach (Thread thread in threads)
                        thread.Start();
                    Console.WriteLine(line);
                    break;
                case "idle":
                    busy = false;
                    foreach (Thread thread in threads)
                        thread.Join();
                    Console.WriteLine(wrong == 0 ? "right" : "wrong");
                    break;
                default:
                    Console.WriteLine(All(int.Parse(line)));
                    break;
            }
    }
}
