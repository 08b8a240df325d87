// What every program does, on both runtimes: collections, formats, threads, exceptions, tasks, garbage. Says the same each time.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

static class Work
{
    static readonly object gate = new object();

    static int Depth(int n)
    {
        return n == 0 ? 0 : 1 + Depth(n - 1);
    }

    static void Collections()
    {
        Dictionary<string, int> words = new Dictionary<string, int>();
        foreach (string word in "the quick brown fox jumps over the lazy dog the end".Split(' '))
        {
            int n;
            words.TryGetValue(word, out n);
            words[word] = n + 1;
        }
        Console.WriteLine(string.Join(",", words.OrderBy(w => w.Key, StringComparer.Ordinal).Select(w => w.Key + "=" + w.Value)));
        List<int> numbers = Enumerable.Range(0, 2000).Select(i => i ^ 5).ToList();
        numbers.Sort();
        Console.WriteLine(numbers[777] + " " + numbers.BinarySearch(1500));
    }

    static void Formats()
    {
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0:N2} {1:x8} {2:o} {3}", 1234567.891, 255,
                                        new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc), TimeSpan.FromMinutes(90)));
        Console.WriteLine((decimal.Parse("1.10", CultureInfo.InvariantCulture) * 3m).ToString(CultureInfo.InvariantCulture) + " " +
                          Guid.Empty + " " + new Version(1, 2, 3));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 100; i++)
        {
            text.Append(i).Append(' ');
        }
        Console.WriteLine(text.Length);
    }

    static void Threads()
    {
        long sum = 0;
        List<Thread> threads = new List<Thread>();
        for (int t = 0; t < 8; t++)
        {
            int factor = t;
            threads.Add(new Thread(() =>
            {
                for (int i = 0; i < 50; i++)
                {
                    string s = (i * factor).ToString(CultureInfo.InvariantCulture);
                    lock (gate)
                    {
                        sum += int.Parse(s, CultureInfo.InvariantCulture);
                    }
                }
            }));
        }
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
        Task<int>[] tasks = Enumerable.Range(0, 20).Select(i => Task.Run(() => i * i)).ToArray();
        Task.WaitAll(tasks);
        Console.WriteLine(sum + " " + tasks.Sum(t => t.Result));
    }

    static void Exceptions()
    {
        int caught = 0;
        for (int i = 0; i < 20; i++)
        {
            try
            {
                int.Parse("x" + i, CultureInfo.InvariantCulture);
            }
            catch (FormatException)
            {
                caught++;
            }
            finally
            {
                caught += 1000;
            }
        }
        Console.WriteLine(caught + " " + Depth(1000));
    }

    static void Main()
    {
        Collections();
        Formats();
        Threads();
        Exceptions();
        int kept = 0;
        for (int i = 0; i < 100; i++)
        {
            kept += new byte[100000].Length & 1;
            if (i % 50 == 0)
            {
                GC.Collect();
            }
        }
        Console.WriteLine(kept + " " + Activator.CreateInstance(typeof(List<string>)).GetType());
    }
}
