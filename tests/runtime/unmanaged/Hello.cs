// A program that uses much of the core library: collections, text, tasks, exceptions, threads.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

static class Hello
{
    static async Task<int> Add(int x) { await Task.Delay(1); return x + 1; }

    static async Task<int> Main()
    {
        Console.WriteLine("hello " + string.Join(",", Enumerable.Range(1, 20).Where(x => x % 2 == 1).Select(x => x * x)
            .OrderByDescending(x => x)));
        Console.WriteLine(await Add(41));
        try { throw new InvalidOperationException("thrown"); }
        catch (Exception e) when (e.Message.Length == 6) { Console.WriteLine(e.Message); }
        var numbers = new Dictionary<string, int>();
        Parallel.For(0, 100, i => { lock (numbers) { numbers[i.ToString()] = i; } });
        Console.WriteLine(numbers.Values.Sum());
        Console.WriteLine(1.5.ToString() + DateTime.UnixEpoch.Year + Guid.Empty + string.Format("{0:x} {1}", 255, TimeSpan.Zero));
        return 3;
    }
}
