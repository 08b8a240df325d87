// Async methods with parameters of all kinds: what their state machines hold when the result or the exception is there.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

sealed class Order
{
    public int Id;
    public string State = "open";
}

struct Money
{
    public decimal Amount;
    public string Currency;
    public Money(decimal amount, string currency) { Amount = amount; Currency = currency; }
    public async Task<decimal> Times(int factor) { await App.Pause(); return Amount * factor; }
    public void Add(decimal more) { Amount += more; }
    public override string ToString() { return Amount + " " + Currency; }
}

class Box<T>
{
    T held;
    public Box(T value) { held = value; }
    public async Task<T> Or(T other, bool first) { await App.Pause(); return first ? held : other; }
    public async Task<KeyValuePair<T, U>> With<U>(U more) { await App.Pause(); return new KeyValuePair<T, U>(held, more); }
    public class Inner
    {
        public async Task<string> Of<U>(T a, U b, List<T> all) { await App.Pause(); all.Add(a); return a + "/" + b; }
    }
}

static class Extensions
{
    public static async Task<int> Twice(this int n) { await App.Pause(); return 2 * n; }
}

#if NEWER
static class Newer
{
    static async ValueTask<int> Cheap(int n) { await App.Pause(); return n + 1; }
    static async ValueTask<string> Together((int First, string Second) pair, ReadOnlyMemory<byte> bytes) { await App.Pause(); return pair.Second + pair.First + bytes.Length; }
    static async Task<int> Local(int n)
    {
        async Task<int> Inner(int m, int more) { await App.Pause(); return n + m + more; }
        return await Inner(1, 2);
    }
    static async Task<int> Lambda(int n)
    {
        Func<int, Task<int>> add = async m => { await App.Pause(); return n + m; };
        return await add(3);
    }

    public static void All()
    {
        Console.WriteLine(Cheap(1).Result);
        Console.WriteLine(Together((1, "two"), new byte[3]).Result);
        Console.WriteLine(Local(1).Result);
        Console.WriteLine(Lambda(1).Result);
    }
}
#endif

static class App
{
    static bool waits;

    // A real wait, or none.
    public static Task Pause() { return waits ? Task.Delay(1) : Task.FromResult(0); }

    // ---- known ----
    static async Task<int> Sum(int a, long b, string text) { await Pause(); return a + (int)b + text.Length; }
    static async Task<int> None() { await Pause(); return 5; }
    static async Task<string> Called(int n, Guid id, DateTime time, int? maybe, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        await Pause();
        return n.ToString("D3") + id.Equals(Guid.Empty) + time.Year + maybe.HasValue + maybe.GetValueOrDefault();
    }
    static async Task<string> Members(Money money, KeyValuePair<int, string> pair) { await Pause(); return money.Currency + money.Amount + pair.Value; }
    static async Task<string> Mutated(Order order, Money money) { await Pause(); order.State = "shipped"; money.Add(1); return order.State + money; }
    static async Task<T> Generic<T>(T value, List<T> all) { await Pause(); all.Add(value); return value; }
    static async Task<int> Captured(int n, string s)
    {
        await Pause();
        Func<int> add = () => { n++; return n + s.Length; };
        return add() + add();
    }
    static async Task<int> Tries(int n)
    {
        try { await Pause(); return 10 / n; }
        catch (DivideByZeroException) when (n == 0) { await Pause(); return -1; }
        finally { await Pause(); }
    }
    static async Task<int> Many(int a, int b, int c, int d, int e, int f) { await Pause(); return a + b + c + d + e + f; }
    static async Task<string> Hidden(string password, string name) { await Pause(); return name + password.Length; }

    // ---- not known: changed, by its address too ----
    static async Task<int> Changed(int n, int m) { await Pause(); n += m; await Pause(); return n; }
    static async Task<int> Parsed(string text, int n) { await Pause(); return int.TryParse(text, out n) ? n : 0; }
    static async Task<decimal> Member(Money money) { await Pause(); money.Amount = 7; await Pause(); return money.Amount; }
    static async Task<int> Referred(int n)
    {
        await Pause();
        Raise(ref n);
        return n;
    }
    static void Raise(ref int n) { n++; }

    // ---- exceptions, and what has no result ----
    static async Task<int> Fails(int n, string why) { await Pause(); if (n > 0) { throw new InvalidOperationException(why + n); } return n; }
    static async Task Nothing(int n, Order order) { await Pause(); if (n < 0) { throw new ArgumentException(order.State); } }
    static async Task<int> Always(int n) { await Pause(); throw new ArgumentException("always " + n); }

    static void Try(Func<Task> call)
    {
        try { call().Wait(); }
        catch (AggregateException e) { Console.WriteLine(e.InnerException.Message); }
    }

    static void All()
    {
        Console.WriteLine(Sum(1, 2, "three").Result);
        Console.WriteLine(None().Result);
        Console.WriteLine(Called(7, Guid.Empty, new DateTime(2026, 1, 31), 8, CancellationToken.None).Result);
        Console.WriteLine(Members(new Money(1.5m, "EUR"), new KeyValuePair<int, string>(3, "c")).Result);
        Console.WriteLine(Mutated(new Order { Id = 4 }, new Money(2, "USD")).Result);
        Console.WriteLine(Generic("x", new List<string>()).Result);
        Console.WriteLine(Generic(1.5, new List<double>()).Result);
        Console.WriteLine(Captured(1, "ab").Result);
        Console.WriteLine(Tries(0).Result);
        Console.WriteLine(Many(1, 2, 3, 4, 5, 6).Result);
        Console.WriteLine(Hidden("secret", "Ada").Result);
        Console.WriteLine(Changed(1, 2).Result);
        Console.WriteLine(Parsed("42", 1).Result);
        Console.WriteLine(Member(new Money(1, "GBP")).Result);
        Console.WriteLine(Referred(1).Result);
        Console.WriteLine(new Money(3, "CHF").Times(2).Result);
        Console.WriteLine(new Box<int>(1).Or(2, false).Result);
        Console.WriteLine(new Box<string>("b").With(2.5).Result);
        Console.WriteLine(new Box<int>.Inner().Of(1, "u", new List<int>()).Result);
        Console.WriteLine(21.Twice().Result);
        Try(() => Fails(1, "n is "));
        Try(() => Fails(0, "n is "));
        Try(() => Nothing(-1, new Order { Id = 9 }));
        Try(() => Nothing(1, null));
        Try(() => Always(3));
#if NEWER
        Newer.All();
#endif
    }

    static void Main()
    {
        Thread.CurrentThread.CurrentCulture = System.Globalization.CultureInfo.InvariantCulture;
        All();
        waits = true;
        All();
    }
}
