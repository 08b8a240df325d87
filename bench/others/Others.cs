// Others CALLS ROUNDS: calls methods that return values of several kinds, and prints what a call of each takes, in ns of processor time,
// collections included, the least of ROUNDS; then how many values Counter has seen.
//
// HAND: the source passes each value to Counter. ASPECT: an aspect of AspectInjector does.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

#if ASPECT
using AspectInjector.Broker;

[Aspect(Scope.Global)]
[Injection(typeof(ShowsAttribute))]
public sealed class ShowsAttribute : Attribute
{
    [Advice(Kind.After)]
    public void After([Argument(Source.ReturnValue)] object value, [Argument(Source.Name)] string method)
    {
        Counter.MyInspector(value, method);
    }
}
#endif

static class Hand
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Shown<T>(T value, string method)
    {
#if HAND
        Counter.MyInspector(value, method);
#endif
        return value;
    }
}

struct Point { public double X, Y; }

#if ASPECT
[Shows]
#endif
static class Returning
{
    static readonly string[] texts = { "zero", "one", "two", "three" };

    [MethodImpl(MethodImplOptions.NoInlining)] public static int Int(int i) { return Hand.Shown(i + 1, "Int"); }
    [MethodImpl(MethodImplOptions.NoInlining)] public static string Text(int i) { return Hand.Shown(texts[i & 3], "Text"); }
    [MethodImpl(MethodImplOptions.NoInlining)] public static decimal Money(int i) { return Hand.Shown((decimal)i, "Money"); }
    [MethodImpl(MethodImplOptions.NoInlining)] public static Point Struct(int i) { return Hand.Shown(new Point { X = i, Y = 1 }, "Struct"); }
    [MethodImpl(MethodImplOptions.NoInlining)] public static T Generic<T>(T value) { return Hand.Shown(value, "Generic"); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async Task<int> Async(int i) { await Task.CompletedTask; return Hand.Shown(i, "Async"); }
}

static class Others
{
    static long calls;
    static int sum;

    // The time of a call of `method`, whose loop is compiled with it.
    static void Measure(string name, int rounds, Action<int> method)
    {
        double least = double.MaxValue;
        method(100000);
        Thread.Sleep(200);
        method(100000);
        Thread.Sleep(200);
        for (int round = 0; round < rounds; round++)
        {
            TimeSpan begin = Environment.CpuUsage.TotalTime;
            method((int)calls);
            least = Math.Min(least, (Environment.CpuUsage.TotalTime - begin).TotalNanoseconds / calls);
        }
        Console.WriteLine(name + " " + Math.Round(least, 1));
    }

    static void Main(string[] args)
    {
        int rounds = int.Parse(args[1]);
        calls = long.Parse(args[0]);
        Measure("int", rounds, n => { for (int i = 0; i < n; i++) { sum += Returning.Int(i); } });
        Measure("string", rounds, n => { for (int i = 0; i < n; i++) { sum += Returning.Text(i).Length; } });
        Measure("decimal", rounds, n => { for (int i = 0; i < n; i++) { if (Returning.Money(i) < 0) { sum++; } } });
        Measure("struct", rounds, n => { for (int i = 0; i < n; i++) { if (Returning.Struct(i).X < 0) { sum++; } } });
        Measure("generic", rounds, n => { for (int i = 0; i < n; i++) { sum += Returning.Generic(i); } });
        Measure("async", rounds, n => { for (int i = 0; i < n; i++) { sum += Returning.Async(i).Result; } });
        Console.WriteLine("values " + Counter.Values);
    }
}
