// Ways in and out of methods: what each part does is the same in every run, and in each thread.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

class Box<T>
{
    public readonly T Value;
    public Box(T value) { Value = value; }
    public U Map<U>(Func<T, U> f) { return f(Value); }
    public static Box<T> Nest(int n, T value) { return n == 0 ? new Box<T>(value) : Box<T>.Nest(n - 1, value); }
}

class Calls
{
    static int Note(int x) { return x; }
    static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

    static int Generics()
    {
        return new Box<int>(4).Map(x => new Box<string>("s" + x).Map(s => s.Length)) +
               Box<List<int>>.Nest(5, new List<int>()).Map(l => l.Count) + Box<string>.Nest(5, "").Map(s => s.Length) +
               Numbers(20).Where(x => x % 2 == 0).Select(x => x * 2).Sum();
    }
    static IEnumerable<int> Numbers(int n) { for (int i = 0; i < n; i++) { yield return Note(i); } }

    // ---- exceptions ----

    static void Thrower(int n)
    {
        if (n == 0) { throw new InvalidOperationException(); }
        try { Thrower(n - 1); } finally { Note(n); }
    }
    static bool Filter(int level) { return Note(level) == 3; }
    static bool BadFilter() { throw new FormatException(); }
    static int Level(int n)
    {
        try { if (n == 0) { Thrower(4); } return Level(n - 1) + 1; }
        catch (InvalidOperationException) when (Filter(n)) { return Note(100); }
        finally { Note(1); }
    }
    static void Rethrow(int n) { try { Thrower(n); } catch (Exception) { Note(7); throw; } }
    static void Inner() { try { Thrower(2); } catch (InvalidOperationException) { Note(2); } }
    static void FinallyThrows() { try { Note(1); } finally { Inner(); } throw new ArgumentException(); }
    static void Replace(int n) { try { Rethrow(n); } finally { FinallyThrows(); } }
    static void Wrap()
    {
        try { try { Thrower(1); } catch (Exception e) { throw new Exception("", e); } finally { Note(3); } } finally { Note(4); }
    }
    static void FilterThrows(int n)
    {
        try
        {
            try { if (n == 0) { Thrower(3); } else { FilterThrows(n - 1); } }
            catch (Exception) when (BadFilter()) { Note(9); }
            finally { Note(8); }
        }
        catch (InvalidOperationException) when (Filter(n)) { Note(10); }
    }
    // An exception that passes what has no hooks: the comparer is called by the framework.
    static int ThroughFramework()
    {
        try { new List<int> { 3, 1, 2 }.Sort((a, b) => { Thrower(2); return a - b; }); return 0; }
        catch (InvalidOperationException) { return Note(5); }
    }
    static int Exceptions()
    {
        int sum = Level(6);
        for (int i = 0; i < 3; i++)
        {
            try { Replace(3); } catch (Exception e) { sum += e is ArgumentException ? Note(1) : 0; }
            try { Wrap(); } catch (Exception e) { sum += e.InnerException == null ? 0 : Note(1); }
        }
        for (int i = 3; i < 6; i++) { FilterThrows(i); }
        return sum + ThroughFramework();
    }

    // ---- exceptions that go on into native code, which is not reported ----

    class Broken { public static int Value; static Broken() { try { Thrower(1); } finally { Catching(1); } } public static int Get() { return Value; } }
    public Calls() { Thrower(0); }
    static void Catching(int n) { try { Thrower(n); } catch (InvalidOperationException) { Note(n); } }
    static void Failing(int n) { try { if (n == 0) { Thrower(1); } Failing(n - 1); } finally { if (n == 0 || n == 3) { Catching(n); } } }
    static bool ThroughFilter() { typeof(Calls).GetMethod("Thrower", BindingFlags.NonPublic | BindingFlags.Static).Invoke(null, new object[] { 1 }); return true; }
    static void InFilter(int n) { try { Thrower(n); } catch (InvalidOperationException) when (ThroughFilter()) { Note(n); } }

    // Without hooks: try { method.Invoke(null, { n }) } catch { }
    static Action<MethodInfo, object[]> Swallowing()
    {
        var method = new DynamicMethod("Swallow", typeof(void), new[] { typeof(MethodInfo), typeof(object[]) }, typeof(Calls));
        var il = method.GetILGenerator();
        il.BeginExceptionBlock();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldnull);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Callvirt, typeof(MethodBase).GetMethod("Invoke", new[] { typeof(object), typeof(object[]) }));
        il.Emit(OpCodes.Pop);
        il.BeginCatchBlock(typeof(object));
        il.Emit(OpCodes.Pop);
        il.EndExceptionBlock();
        il.Emit(OpCodes.Ret);
        return (Action<MethodInfo, object[]>)method.CreateDelegate(typeof(Action<MethodInfo, object[]>));
    }
    static int IntoNative()
    {
        int sum = 0;
        var swallow = Swallowing();
        for (int i = 0; i < 2; i++)
        {
            foreach (var name in new[] { "Thrower", "Failing", "InFilter" })
            {
                swallow(typeof(Calls).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Static), new object[] { 4 });
                sum += Note(1);
            }
            try { Broken.Get(); } catch (TypeInitializationException) { sum += Note(1); }
            try { Activator.CreateInstance(typeof(Calls)); } catch (TargetInvocationException) { sum += Note(1); }
        }
        return sum;
    }

    // ---- the last thing a method does is to call another ----

    static int TailA(int n) { if (n <= 0) { return Note(n); } return TailB(n - 1); }
    static int TailB(int n) { if (n <= 0) { return Note(n); } return TailA(n - 1); }
    // What comes next is no call of this program's
    static void Sleep(int n) { Thread.Sleep(n); }
    static void Spin(int n) { Thread.SpinWait(n); }
    static int Tails()
    {
        for (int i = 0; i < 5; i++) { Sleep(0); Spin(1); }
        return TailA(100) + Note(1);
    }

    // ---- deep ----

    static int Deep(int n)
    {
        if (n == 0) { return 0; }
        try { RuntimeHelpers.EnsureSufficientExecutionStack(); }
        catch (InsufficientExecutionStackException) { return 1; }
        return Deep(n - 1) > 0 ? 1 : 0;
    }
    static int Overflowing(int n) { RuntimeHelpers.EnsureSufficientExecutionStack(); return Overflowing(n + 1) + 1; }
    static int ToTheGuard()
    {
        int sum = 0;
        var thread = new Thread(() => {
            sum = Deep(int.MaxValue);
            try { Overflowing(0); } catch (InsufficientExecutionStackException) { sum += Note(1); }
        }, 1 << 18);
        thread.Start();
        thread.Join();
        return sum + Deep(1000);
    }

    // Deeper than the frames that are kept.
    static int Count(int n) { return n == 0 ? 0 : Count(n - 1) + 1; }
    static int PastTheLimit()
    {
        int sum = 0;
        var thread = new Thread(() => { sum = Count(300000); }, 1 << 28);
        thread.Start();
        thread.Join();
        return sum;
    }
    static int Endless(int n) { return Endless(n + 1) + 1; }

    // ---- threads ----

    static void Work(int id)
    {
        for (int i = 0; i < 10; i++)
        {
            Fib(8);
            try { Rethrow(i % 5); } catch (InvalidOperationException) { Note(id); }
            TailA(i);
        }
    }
    static int Threads()
    {
        var threads = Enumerable.Range(0, 4).Select(i => new Thread(() => Work(i)) { Name = "worker " + i }).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        return threads.Count;
    }

    static async Task<int> Sum(int n)
    {
        if (n == 0) { await Task.Yield(); return 0; }
        int below = await Sum(n - 1);
        await Task.Delay(1);
        return below + n;
    }
    static async Task Fails(int n) { await Task.Yield(); if (n == 0) { throw new TimeoutException(); } await Fails(n - 1); }
    static int Async()
    {
        int sum = Sum(5).Result;
        try { Fails(4).Wait(); } catch (AggregateException) { sum += Note(2); }
        Parallel.For(0, 50, i => Fib(5));
        return sum;
    }

    static void Main(string[] parts)
    {
        foreach (string part in parts)
        {
            switch (part)
            {
                case "generics": Console.WriteLine(Generics()); break;
                case "exceptions": Console.WriteLine(Exceptions()); break;
                case "native": Console.WriteLine(IntoNative()); break;
                case "tails": Console.WriteLine(Tails()); break;
                case "deep": Console.WriteLine(ToTheGuard()); break;
                case "past-the-limit": Console.WriteLine(PastTheLimit()); break;
                case "endless": Console.WriteLine(Endless(0)); break;
                case "threads": Console.WriteLine(Threads()); break;
                case "async": Console.WriteLine(Async()); break;
            }
        }
    }
}
