// Strings and structs with strings are returned while another thread collects garbage and moves what is left. Neither runs away from
// the other: a runtime that is stopped without a pause gives no turn to the threads that return, and a quick machine would be done
// with them before anything is collected.
using System;
using System.Runtime;
using System.Threading;

struct Both { public string Left; public long Number; public string Right; }

static class Collect
{
    const int Pace = 20; // steps of those that return, from one collection to the next
    const int Lead = 5 * Pace;

    static int steps, collections;

    static string Text(int i) { return "text " + i + " " + new string('x', i % 50) + "."; }
    static Both Pair(int i) { return new Both { Left = "left " + i, Number = i, Right = "right " + i }; }

    static void Main(string[] args)
    {
        int count = int.Parse(args[0]);
        var collector = new Thread(() =>
        {
            var kept = new byte[1000][];
            while (collections < 2 * count / Pace)
            {
                for (int i = 0; i < 50; i++) { kept[(collections * 50 + i) % kept.Length] = new byte[i * 37 % 900]; }
                while (Volatile.Read(ref steps) < collections * Pace) { Thread.Yield(); }
                GC.Collect(collections % 3 == 0 ? 2 : 0, GCCollectionMode.Forced, true, true);
                Volatile.Write(ref collections, collections + 1);
            }
        });
        collector.Start();
        var threads = new Thread[2];
        for (int t = 0; t < threads.Length; t++)
        {
            threads[t] = new Thread(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    while (Volatile.Read(ref steps) > Volatile.Read(ref collections) * Pace + Lead) { Thread.Yield(); }
                    Interlocked.Increment(ref steps);
                    Text(i);
                    Pair(i);
                }
            });
            threads[t].Start();
        }
        foreach (Thread thread in threads) { thread.Join(); }
        collector.Join();
        Console.WriteLine(GC.CollectionCount(0) >= 2 * count / Pace ? "collected" : "too few collections: " + GC.CollectionCount(0));
    }
}
