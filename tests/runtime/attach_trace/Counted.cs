// For each line of standard input, as many calls as it says: "calls N", "threads N", "throws N", "generics N", "tails N", "inlined".
// "hold" enters Held in a thread, which "release" lets return; "churn" lets two threads call until "still"; "cycle" makes N threads.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

public class Box<T>
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public T Keep(T value) => value;
}

public static class Counted
{
    static readonly SemaphoreSlim entered = new(0), leave = new(0);
    static volatile bool churning;
    static Thread[] churners = Array.Empty<Thread>();
    static Thread holder;
    static long wrong, churned;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Add(int left, int right) => left + right;

    static int Tiny(int value) => value + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Depth() => new StackTrace().FrameCount;

    static int Small() => Depth();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static int Inlined() => Small() - Depth();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Deep(int depth) => depth == 0 ? 0 : 1 + Deep(depth - 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Fails(int depth) => depth == 0 ? throw new ArgumentException("bad") : 1 + Fails(depth - 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Catches(int number)
    {
        try
        {
            return Fails(2);
        }
        catch (ArgumentException) when (Filter(number))
        {
            return number;
        }
        finally
        {
            Last(number);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool Filter(int number) => number >= 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Last(int number) => Interlocked.Add(ref churned, number & 0);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static T Same<T>(T value) => value;

    // Open while "release" has not come, two times within itself; before it returns it calls Add.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Held(int depth)
    {
        int inner = 0;
        if (depth > 0)
            inner = Held(depth - 1);
        else
        {
            entered.Release();
            leave.Wait();
        }
        return Add(inner, 1);
    }

    static void Parallel(int count, Action<int> work)
    {
        var threads = new Thread[4];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() => { for (int n = 0; n < count; n++) work(n); });
            threads[i].Start();
        }
        foreach (Thread thread in threads)
            thread.Join();
    }

    static void Churn()
    {
        for (int i = 0; churning; i++)
        {
            if (Add(i, 1) != i + 1 || Tiny(i) != i + 1 || Deep(5) != 5 || Same(i) != i || Same("x") != "x" || Catches(i & 7) != (i & 7))
                Interlocked.Increment(ref wrong);
            Interlocked.Increment(ref churned);
        }
    }

    static string Do(string word, int count)
    {
        int sum = 0;
        switch (word)
        {
            case "calls":
                for (int i = 0; i < count; i++)
                    sum += Add(i, 1) - i + Tiny(i) - i + Deep(3);
                return "calls " + sum;
            case "threads":
                Parallel(count, n => { if (Add(n, 1) != n + 1) Interlocked.Increment(ref wrong); });
                return "threads " + wrong;
            case "throws":
                for (int i = 0; i < count; i++)
                    sum += Catches(i) - i;
                return "throws " + sum;
            case "generics":
                var number = new Box<int>();
                var text = new Box<string>();
                for (int i = 0; i < count; i++)
                    sum += Same(1) + Same("ab").Length + number.Keep(3) + text.Keep("abcd").Length;
                return "generics " + sum;
            case "cycle":
                for (int i = 0; i < count; i++)
                {
                    var thread = new Thread(() => { if (Add(1, 2) != 3) Interlocked.Increment(ref wrong); });
                    thread.Start();
                    thread.Join();
                }
                return "cycle " + wrong;
            case "hold":
                holder = new Thread(() => { if (Held(count) != count + 1) Interlocked.Increment(ref wrong); });
                holder.Start();
                entered.Wait();
                return "held";
            case "release":
                leave.Release();
                holder.Join();
                return "released " + wrong;
            case "churn":
                churning = true;
                churners = new[] { new Thread(Churn), new Thread(Churn) };
                foreach (Thread thread in churners)
                    thread.Start();
                return "churning";
            case "still":
                churning = false;
                foreach (Thread thread in churners)
                    thread.Join();
                return "still " + wrong;
            case "collect":
                GC.Collect();
                return "collected";
            case "inlined":
                return "inlined " + Inlined();
            default:
                return word + "?";
        }
    }

    public static int Main()
    {
        Console.WriteLine("ready");
        for (string line; (line = Console.ReadLine()) != null;)
        {
            string[] words = line.Split(' ');
            Console.WriteLine(Do(words[0], words.Length > 1 ? int.Parse(words[1]) : 0));
        }
        return (int)wrong;
    }
}
