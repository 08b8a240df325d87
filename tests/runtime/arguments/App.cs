// Calls with arguments of every kind, which change them or leave them, return or throw.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

struct Point
{
    public int X, Y;
    public int Sum(int more) { X += more; return X + Y; }
}

struct Box<T>
{
    public T Value;
    public T Put(T other) { T old = Value; Value = other; return old; }
}

class Person
{
    public string Name = "Ann";
    public string Hello(string greeting) { Name = "changed"; return greeting + Name; }
}

class Generic<T>
{
    public T First<U>(T t, U u, List<U> list) { t = default(T); return t; }
}

// A struct that is too large for a register, and one with a reference in it.
struct Large { public long A, B, C; public string D; }

static class App
{
    static int Change(int a, string s) { a = 5; s = null; return a; }
    static int None() { return 1; }
    static int Empty(params string[] rest) { return rest.Length; }
    static int While(int n) { while (n > 0) { n--; } return n; }
    static int Goto(int n) { again: if (n > 0) { n--; goto again; } return n; }
    static int TryFirst(int n) { try { return 10 / n; } catch (DivideByZeroException) { return -1; } finally { n = 3; } }
    static int Recursion(int n) { return n == 0 ? 0 : Recursion(n - 1) + 1; }
    static object Throws(int n) { if (n > 0) { throw new InvalidOperationException(); } return n; }
    static string Many(int a, long b, double c, char d, bool e, decimal f, object g, int[] h, int? i, DayOfWeek j, Large k) { return "x"; }
    static int References(out int r, ref int q, ref string s, ref Point p) { r = 1; q = 9; s = "z"; p.X = 100; return r; }
    static unsafe int Pointers(int* p, int** q, IntPtr i) { return *p; }
    static T Same<T>(T value) { return value; }
    static int Lambda(Func<int, int> f) { return f(2); }
    static void Nothing(int a) { }

    static async Task<int> Later(int q) { await Task.Yield(); return q; }
    static IEnumerable<int> Twice(int q) { yield return q; yield return q; }

    static unsafe int Main()
    {
        Change(3, "EUR");
        None();
        Empty();
        Empty("a", "b");
        While(4);
        Goto(3);
        TryFirst(2);
        TryFirst(0);
        Recursion(2);
        try { Throws(1); } catch (InvalidOperationException) { }
        Throws(0);
        Many(1, 2, 3.5, 'c', true, 1.50m, new Person(), new[] { 1, 2 }, null, DayOfWeek.Friday, new Large { A = 1, D = "d" });
        int r, q = 4;
        string s = "s";
        Point p = new Point { X = 1, Y = 2 };
        References(out r, ref q, ref s, ref p);
        int* at = &q;
        Pointers(at, &at, new IntPtr(31));
        Same(1);
        Same("one");
        Same<object>(null);
        Same(new Point { X = 7 });
        Lambda(Math.Abs);
        Nothing(1);
        global::Nothing.All();
        p.Sum(3);
        new Box<string> { Value = "v" }.Put("w");
        new Box<int> { Value = 1 }.Put(2);
        new Person().Hello("hi\n");
        new Generic<string>().First("t", 2, new List<int> { 1 });
        new Generic<int>().First(1, "u", null);
        Later(3).Wait();
        foreach (int i in Twice(4)) { }
#if NET10
        Net.All();
#endif
        Console.WriteLine("done");
        return 0;
    }
}

// What returns nothing, which has a line by the profiler's own inspector alone.
class Nothing
{
    int count;
    public int Count { set { count = value; } }
    public Nothing() { }
    public Nothing(int count) : this() { this.count = count; }
    public void Add(int count) { if (count > 3) { Count = 0; return; } this.count += count; }
    public void Empty(string s) { }
    public static void References(ref int r, out string s) { r = 2; s = "s"; }
    public static void Generic<T>(T value) { }
    public static void Recursion(int n) { if (n > 0) { Recursion(n - 1); } }
    public static async Task Work(int q) { await Task.Yield(); }
    public static async Task Work() { await Task.Yield(); }
    public static async void Fire(int q) { await Task.CompletedTask; }
    public static async void Fire() { await Task.CompletedTask; }

    public static void All()
    {
        int r = 1;
        string s;
        Nothing nothing = new Nothing(3);
        nothing.Add(4);
        nothing.Add(1);
        nothing.Empty("e");
        new Value(1).Move(2);
        References(ref r, out s);
        Generic(1);
        Generic("t");
        Recursion(1);
        Work(5).Wait();
        Work().Wait();
        Fire(6);
        Fire();
    }
}

struct Value
{
    public int X;
    public Value(int x) { X = x; }
    public void Move(int by) { X += by; }
}

#if NET10
ref struct Window
{
    public int A;
    public int Twice(int x) => A * x;
}

interface IShape
{
    int Sides() => 4;
    int More(int by) => Sides() + by;
}

struct Square : IShape { }

static class Net
{
    static int In(in Point p, in long l) => p.X;
    static int Spans(Span<int> a, ReadOnlySpan<char> b, Window w) => a.Length;
#if NET9_0_OR_GREATER
    static int AnyRef<T>(T value) where T : allows ref struct => 1;
#endif
    static ref int Back(ref int q) => ref q;

    internal static void All()
    {
        int q = 5;
        In(new Point { X = 8 }, 6);
        Spans(new int[3], "abc", new Window());
#if NET9_0_OR_GREATER
        AnyRef(1);
#endif
        Back(ref q) = 7;
        new Window { A = 3 }.Twice(4);
        ((IShape)new Square()).More(2);
    }
}
#endif
