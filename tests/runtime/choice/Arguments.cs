using System;
using System.Threading;
using System.Threading.Tasks;

class Customer
{
    public string Name;
}

class Order
{
    public int Id;
    public decimal Total;
    public Customer Customer;
    public string Currency { get; set; }
}

// More members than a line shows: f00 to f19.
struct Wide
{
    public int f00, f01, f02, f03, f04, f05, f06, f07, f08, f09, f10, f11, f12, f13, f14, f15, f16, f17, f18;
    public string f19;
}

class WideClass
{
    public long f00, f01, f02, f03, f04, f05, f06, f07, f08, f09, f10, f11, f12, f13, f14, f15;
    public Wide Inner;
    public int Last { get; set; }
}

class WideDerived : WideClass
{
    public string Own;
}

struct Point
{
    public int X, Y;
    public int Sum(int more) { return X + Y + more; }
}

class Cart
{
    public int Size;
    public int Add(int count) { Size += count; return Size; }
}

// Each method is called with the numbers from 0 to 299; a line that shows arguments shows what they were when the call began.
static class Arguments
{
    const int Count = 300;

    static decimal Total(int count, string currency) { int n = count; count = -1; currency = "changed"; return n * 1.5m; }
    static string Ship(Order order, bool fast)
    {
        string name = order?.Customer?.Name;
        if (order != null) { order.Id = -1; order.Currency = "changed"; }
        order = null;
        return name;
    }
    static Wide Spread(Wide wide) { Wide copy = wide; wide.f17 = -1; return copy; }
    static object Class(object wide) { return wide; }
    static T Same<T>(T value) { return value; }
    static int Down(int n) { return n == 0 ? 0 : 1 + Down(n - 1); }
    static int Sum(Point point, in Point other, ref int by, out int rest) { rest = point.X; by++; return point.X + other.Y; }
    static int Length(ReadOnlySpan<char> text, int plus) { return text.Length + plus; }
    static int None() { return 5; }
    static int Slow(int milliseconds) { Thread.Sleep(milliseconds); return milliseconds; }

    // Every other call leaves by an exception.
    static int Risky(int i, string text)
    {
        if (i % 2 == 0) throw new InvalidOperationException();
        return i;
    }
    // All calls below the half leave by one, which a call in the middle catches.
    static string Caught(int n, int depth)
    {
        if (depth == 0) throw new InvalidOperationException();
        try { return Caught(n, depth - 1) + "."; }
        catch (InvalidOperationException) when (depth == 5) { return null; }
    }
    // Returns a null reference after one that left: which call it was says nothing but the stack.
    static ref int Nothing(int[] numbers, int depth)
    {
        if (depth == 0) throw new InvalidOperationException();
        try { if (depth == 2) Nothing(numbers, depth - 1); else if (depth == 1) Nothing(numbers, 0); }
        catch (InvalidOperationException) { }
        return ref System.Runtime.CompilerServices.Unsafe.NullRef<int>();
    }
    static async Task<int> Later(int i) { if (i % 2 == 0) await Task.Yield(); return i; }

    static void Try(int i)
    {
        try { Risky(i, "t" + i); } catch (InvalidOperationException) { }
        Caught(i, 8);
    }

    static void Work()
    {
        int[] numbers = new int[1];
        Cart cart = new Cart();
        for (int i = 0; i < Count; i++)
        {
            Total(i, i % 3 == 0 ? "EUR" : i % 3 == 1 ? "USD" : null);
            Ship(i % 10 == 0 ? null : new Order { Id = i, Total = i * 2.5m, Currency = "EUR", Customer = i % 10 == 1 ? null : new Customer { Name = "x" + i } }, i % 2 == 0);
            Spread(new Wide { f00 = i, f17 = 2 * i, f19 = "w" + i });
            Class(i % 2 == 0 ? new WideClass { f15 = i, Last = i, Inner = new Wide { f18 = i } } : new WideDerived { f15 = i, Last = -i, Own = "o" + i });
            Same(i);
            Same("s" + i);
            Same(new Point { X = i, Y = -i });
            int by = i;
            Sum(new Point { X = i }, new Point { Y = 2 * i }, ref by, out int _);
            Length("abc".AsSpan(0, i % 4), i);
            None();
            new Point { X = i, Y = 1 }.Sum(i);
            cart.Add(1);
            Try(i);
            Nothing(numbers, 2);
            Later(i).Wait();
        }
        Down(Count - 1);
    }

    static void Main(string[] arguments)
    {
        if (arguments.Length > 0 && arguments[0] == "slow")
        {
            Slow(1);
            Slow(60);
            return;
        }
        if (arguments.Length > 0 && arguments[0] == "wait")
        {
            Console.WriteLine("ready");
            Console.ReadLine();
            for (int i = 0; i < 100; i++)
            {
                Work();
                Thread.Sleep(20);
            }
            return;
        }
        Work();
        Console.WriteLine("done");
    }
}
