// Strings and structs with strings are returned while another thread collects garbage and moves what is left.
using System;
using System.Runtime;
using System.Threading;

struct Both { public string Left; public long Number; public string Right; }

static class Collect
{
    static volatile bool done;

    static string Text(int i) { return "text " + i + " " + new string('x', i % 50) + "."; }
    static Both Pair(int i) { return new Both { Left = "left " + i, Number = i, Right = "right " + i }; }

    static void Main(string[] args)
    {
        int count = int.Parse(args[0]);
        var collector = new Thread(() =>
        {
            var kept = new byte[1000][];
            for (int i = 0; !done; i++)
            {
                kept[i % kept.Length] = new byte[i * 37 % 900];
                if (i % 50 == 0) { GC.Collect(i % 150 == 0 ? 2 : 0, GCCollectionMode.Forced, true, true); }
            }
        });
        collector.Start();
        var threads = new Thread[2];
        for (int t = 0; t < threads.Length; t++)
        {
            threads[t] = new Thread(() => { for (int i = 0; i < count; i++) { Text(i); Pair(i); } });
            threads[t].Start();
        }
        foreach (Thread thread in threads) { thread.Join(); }
        done = true;
        collector.Join();
        Console.WriteLine(GC.CollectionCount(0) > 50 ? "collected" : "too few collections: " + GC.CollectionCount(0));
    }
}
