// What is hard on a core library, on CoreCLR: its own state machines, statics, threads, exceptions, stacks, reflection, collectible
// code. Says the same each time, and ends with 7.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

record Row(int A, string B, double[] C);

class Finalized
{
    public static int Count;
    ~Finalized() { Interlocked.Increment(ref Count); }
}

class Generic<T>
{
    [ThreadStatic] public static T PerThread;
    public static int Length = Touch();
    static int Touch() { return typeof(T).Name.Length; }
}

static class Lazily
{
    public static int Count;
    public static readonly string Text = string.Concat("la", "zy");
    static Lazily() { Count++; }
}

static class Broken
{
    public static int Value;
    static Broken() { throw new InvalidOperationException("bad init"); }
}

static class Hard
{
    [ThreadStatic] static List<int> local;
    static int finallies;

    static async Task<int> Fib(int n)
    {
        if (n < 2)
        {
            await Task.Yield();
            return n;
        }
        return await Fib(n - 1) + await Fib(n - 2);
    }

    static async IAsyncEnumerable<int> Numbers(int n)
    {
        for (int i = 0; i < n; i++)
        {
            if (i % 3 == 0)
            {
                await Task.Delay(1);
            }
            yield return i;
        }
    }

    static async ValueTask<string> Sometimes(int i)
    {
        if (i % 2 == 0)
        {
            await Task.Yield();
        }
        return "v" + i;
    }

    static async Task Async()
    {
        Console.WriteLine("fib " + await Fib(8));
        int sum = 0;
        await foreach (int i in Numbers(12))
        {
            sum += i;
        }
        Console.WriteLine("numbers " + sum + string.Concat(await Task.WhenAll(Enumerable.Range(0, 5).Select(i => Sometimes(i).AsTask()))));
        Channel<int> channel = Channel.CreateBounded<int>(4);
        Task writer = Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                await channel.Writer.WriteAsync(i);
            }
            channel.Writer.Complete();
        });
        sum = 0;
        await foreach (int i in channel.Reader.ReadAllAsync())
        {
            sum += i;
        }
        await writer;
        using CancellationTokenSource source = new CancellationTokenSource(20);
        try
        {
            await Task.Delay(100000, source.Token);
        }
        catch (OperationCanceledException)
        {
            Console.WriteLine("channel " + sum + ", cancelled");
        }
    }

    static int Deep(int n)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        return Deep(n + 1) + 1;
    }

    static int Filtered(int depth)
    {
        try
        {
            return depth == 0 ? throw new ApplicationException("x") : Filtered(depth - 1);
        }
        catch (ApplicationException e) when (e.Message.Length == depth + 1)
        {
            return depth;
        }
        finally
        {
            Interlocked.Increment(ref finallies);
        }
    }

    static string Thrown(Action action)
    {
        try
        {
            action();
            return "nothing";
        }
        catch (Exception e)
        {
            return e.GetType().Name + (e.InnerException?.Message ?? "");
        }
    }

    static void Exceptions()
    {
        int zero = int.Parse("0");
        int[] none = null;
        object text = "s";
        Console.WriteLine("filtered " + Filtered(20) + " " + finallies);
        Console.WriteLine(Thrown(() => zero = none[3]) + Thrown(() => zero = 5 / zero) + Thrown(() => zero = (int)text) +
                          Thrown(() => Deep(0)) + Thrown(() => Broken.Value++) + Thrown(() => Broken.Value++) +
                          Thrown(() => Task.Run(() => throw new IOException("w")).Wait()));
    }

    static void Threads()
    {
        int sum = 0;
        Thread[] threads = Enumerable.Range(0, 16).Select(t => new Thread(() =>
        {
            local = new List<int>();
            Generic<int>.PerThread = t;
            Generic<string>.PerThread = t.ToString();
            for (int i = 0; i < 100; i++)
            {
                local.Add(i + t);
            }
            Interlocked.Add(ref sum, local.Sum() + Generic<int>.PerThread + Generic<string>.PerThread.Length);
        })).ToArray();
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());
        ConcurrentDictionary<string, int> counts = new ConcurrentDictionary<string, int>();
        Parallel.For(0, 500, i => counts.AddOrUpdate((i % 7).ToString(), 1, (key, n) => n + 1));
        Console.WriteLine("threads " + sum + " " + Generic<int>.Length + Generic<string>.Length + " " + counts.Values.Sum());
        object gate = new object();
        bool go = false;
        Thread waiting = new Thread(() =>
        {
            try // it may be interrupted while it waits, too
            {
                lock (gate)
                {
                    while (!go)
                    {
                        Monitor.Wait(gate);
                    }
                }
                Thread.Sleep(Timeout.Infinite);
            }
            catch (ThreadInterruptedException)
            {
                Console.WriteLine("interrupted");
            }
        });
        waiting.Start();
        lock (gate)
        {
            go = true;
            Monitor.PulseAll(gate);
        }
        waiting.Interrupt();
        waiting.Join();
        int ticks = 0;
        using Timer timer = new Timer(_ => Interlocked.Increment(ref ticks), null, 1, 1);
        while (Volatile.Read(ref ticks) < 3)
        {
            Thread.Sleep(1);
        }
    }

    static void Memory()
    {
        for (int i = 0; i < 10000; i++)
        {
            new Finalized();
            if (i % 3000 == 0)
            {
                GC.Collect(2, GCCollectionMode.Forced, true, true);
            }
        }
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GCHandle pinned = GCHandle.Alloc(new byte[10], GCHandleType.Pinned);
        Marshal.WriteByte(pinned.AddrOfPinnedObject(), 3, 7);
        Console.WriteLine("memory " + (Finalized.Count > 5000) + ((byte[])pinned.Target)[3]);
        pinned.Free();
        AssemblyLoadContext context = new AssemblyLoadContext("again", true);
        Console.WriteLine("loaded " + context.LoadFromAssemblyPath(typeof(Hard).Assembly.Location).GetType("Row").Name);
        context.Unload();
    }

    static void Libraries()
    {
        Console.WriteLine(JsonSerializer.Serialize(JsonSerializer.Deserialize<Row>("{\"A\":5,\"B\":\"x\",\"C\":[1.5,2e10]}")));
        Console.WriteLine(Regex.Replace("a1b22c333", @"(\d)(?=\d)", "<$1>", RegexOptions.Compiled));
        ParameterExpression x = Expression.Parameter(typeof(int), "x");
        DynamicMethod twice = new DynamicMethod("twice", typeof(int), new[] { typeof(int) });
        ILGenerator il = twice.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4_2);
        il.Emit(OpCodes.Mul);
        il.Emit(OpCodes.Ret);
        Console.WriteLine(Expression.Lambda<Func<int, int>>(Expression.Add(x, Expression.Constant(3)), x).Compile()(4) + " " +
                          twice.CreateDelegate<Func<int, int>>()(21) + " " + typeof(Dictionary<,>).MakeGenericType(typeof(int), typeof(Guid)).Name);
        string path = Path.GetTempFileName();
        File.WriteAllLines(path, Enumerable.Range(0, 100).Select(i => "l" + i));
        Console.WriteLine("file " + File.ReadLines(path).Count() + " " + new FileInfo(path).Length + " " + Lazily.Text + Lazily.Count);
        File.Delete(path);
    }

    static async Task<int> Main()
    {
        await Async();
        Exceptions();
        Threads();
        Memory();
        Libraries();
        return 7;
    }
}
