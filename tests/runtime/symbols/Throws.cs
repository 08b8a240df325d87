// Throws in every place where a line of the source can be lost, and prints each exception with its stack trace. All methods
// return values, so that all of them are patched.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

class Boom : Exception
{
    public Boom(string text) : base(text) { }
}

struct Money
{
    public int Cents;

    public int Share(int people)
    {
        int each = Cents;
        return each / people;
    }

    public static Money operator +(Money a, Money b)
    {
        if (a.Cents + b.Cents > 100)
            throw new Boom("too much");
        return new Money { Cents = a.Cents + b.Cents };
    }
}

class Resource : IDisposable
{
    readonly bool bad;

    public Resource(bool bad)
    {
        this.bad = bad;
    }

    public void Dispose()
    {
        if (bad)
            Throws.Fail(1);
    }
}

class Initialized
{
    public static readonly int Value = Throws.Fail(1);

    public static int Get()
    {
        return Value;
    }
}

class Box<T>
{
    readonly T[] items = new T[2];

    public T this[int i]
    {
        get
        {
            return items[i];
        }
    }

    public T Last => items[items.Length];

    public U As<U>(int i) where U : class
    {
        object item = items[i];
        return (U)(object)item.ToString() ?? default(U);
    }
}

static class Throws
{
    public static int Fail(int x)
    {
        if (x > 0)
            throw new Boom("x is " + x);
        return x;
    }

    static int Zero = 0;

    static int InTry(int x)
    {
        try
        {
            Zero = 0;
            return Fail(x);
        }
        finally
        {
            Zero = 0;
        }
    }

    static int Rethrow(int x)
    {
        try
        {
            return Fail(x);
        }
        catch (Boom)
        {
            if (Zero == 0)
                throw;
            return 1;
        }
    }

    static int Wrapped(int x)
    {
        try
        {
            return InTry(x) + 1;
        }
        catch (Exception e) when (Filter(e, x))
        {
            throw new InvalidOperationException("wrapped", e);
        }
    }

    static bool Filter(Exception e, int x)
    {
        return e.Message.Length > x;
    }

    static int InFinally(int x)
    {
        try
        {
            return x;
        }
        finally
        {
            Fail(x);
        }
    }

    static int InCatch(int x)
    {
        try
        {
            return Fail(x);
        }
        catch (Boom e)
        {
            return e.Message.Length / Zero;
        }
    }

    static int Caught(int x)
    {
        for (int i = 0; ; i++)
        {
            try
            {
                if (i == 2)
                    return Fail(x);
                Fail(i);
            }
            catch (Boom) when (i < 2)
            {
                continue;
            }
        }
    }

    static int Null(string s)
    {
        return s.Length;
    }

    static int Index(int[] a, int i)
    {
        return a[i]
            + a[i + 1]
            + a[i + 2];
    }

    static byte Overflow(int x)
    {
        checked
        {
            return (byte)(x
                * 1000);
        }
    }

    static string Cast(object o)
    {
        return (string)o;
    }

    static int Lambda(int x)
    {
        Func<int, int> twice = y => 2 * Fail(y);
        return twice(x);
    }

    static int Closure(int x)
    {
        int sum = 0;
        Func<int, int> add = y =>
        {
            sum += y;
            return Fail(sum - x);
        };
        add(x);
        return add(x);
    }

    static int Local(int x)
    {
        return Inner(x) + 1;

        int Inner(int y)
        {
            int z = y + 1;
            return Fail(z);
        }
    }

    static int Linq(int x)
    {
        return Enumerable.Range(0, x).Where(i => i > 1).Select(i => Fail(i)).Sum();
    }

    static IEnumerable<int> Numbers(int n)
    {
        for (int i = 0; i < n; i++)
        {
            int q = i - 1;
            yield return Fail(q);
        }
        yield return 5;
    }

    static IEnumerable<int> Guarded(int n)
    {
        try
        {
            yield return n;
            yield return Fail(n);
        }
        finally
        {
            Zero = 0;
        }
    }

    static int Iterate(int x)
    {
        int sum = 0;
        foreach (int i in Numbers(x))
            sum += i;
        return sum;
    }

    static int IterateGuarded(int x)
    {
        return Guarded(x).Count();
    }

    static async Task<int> Before(int x)
    {
        Fail(x);
        await Task.Yield();
        return x;
    }

    static async Task<int> After(int x)
    {
        await Task.Yield();
        int y = x + 1;
        return Fail(y);
    }

    static async Task<int> Chain(int x)
    {
        int a = await Task.FromResult(x);
        int b = await After(a);
        return a + b;
    }

    static async Task<int> AsyncTry(int x)
    {
        try
        {
            return await After(x);
        }
        catch (Boom e)
        {
            await Task.Yield();
            throw new InvalidOperationException("async", e);
        }
        finally
        {
            await Task.Yield();
            Zero = 0;
        }
    }

    static async Task<string> AsyncLambda(int x)
    {
        Func<int, Task<string>> f = async y =>
        {
            await Task.Yield();
            return Fail(y).ToString();
        };
        return await f(x);
    }

    static async Task<T> AsyncGeneric<T>(T value, int x)
    {
        for (int i = 0; i < 3; i++)
        {
            await Task.Yield();
            Fail(i - x);
        }
        return value;
    }

    static int Switch(string s)
    {
        switch (s)
        {
            case "a":
                return 1;
            case "b":
                return Fail(2);
            case "c":
            case "d":
                return Null(null);
            case "e":
                goto case "b";
            default:
                throw new Boom("default");
        }
    }

    static int Pattern(object o)
    {
        return o switch
        {
            int i when i > 5 => Fail(i),
            int i => i,
            string s => s.Length
                / Zero,
            _ => throw new Boom("pattern"),
        };
    }

    static string Conditional(int x)
    {
        return x > 3
            ? throw new Boom("conditional")
            : x.ToString();
    }

    static int Using(int x)
    {
        using (new Resource(true))
        {
            Zero = 0;
            return x;
        }
    }

    static int Lock(object o)
    {
        lock (o)
        {
            return Fail(1);
        }
    }

    static int Money(int x)
    {
        Money sum = new Money { Cents = 60 } + new Money { Cents = x };
        return sum.Share(Zero);
    }

    static ref int Ref(int[] a, int i)
    {
        return ref a[i];
    }

    static (int, string) Tuple(int x)
    {
        int a = x;
        string b = Conditional(a);
        return (a, b);
    }

    static int Recursive(int x)
    {
        if (x == 0)
            return Fail(1);
        return Recursive(x - 1) + 1;
    }

    // Short branches over much code, which do not reach any more once returns are inspected.
    static int Long(int x)
    {
        for (int i = 0; i < 3; i++)
        {
            if (x == 10) return 1;
            if (x == 11) return 2;
            if (x == 12) return 3;
            if (x == 13) return 4;
            if (x == 14) return 5;
            if (x == 15) return 6;
            if (x == 16) return 7;
            if (x == 17) return 8;
            if (x == 18) return 9;
            if (x == 19) return 10;
            if (i == 2)
                return Fail(x);
        }
        return Fail(x + 1);
    }

    static int Lines(int x)
    {
#line 1000 "Other.cs"
        int y = x;
#line hidden
        y++;
#line 2000 "Third.cs"
        return Fail(y);
#line default
    }

    static int Big(int x)
    {
        Box<int> box = new Box<int>();
        return x == 0 ? box[0] : x == 1 ? box[2] : box.Last;
    }

    static readonly (string, Func<object>)[] shapes =
    {
        ("Fail", () => Fail(1)),
        ("InTry", () => InTry(1)),
        ("Rethrow", () => Rethrow(1)),
        ("Wrapped", () => Wrapped(1)),
        ("InFinally", () => InFinally(1)),
        ("InCatch", () => InCatch(1)),
        ("Caught", () => Caught(1)),
        ("Null", () => Null(null)),
        ("Index", () => Index(new int[2], 0)),
        ("Overflow", () => Overflow(1000)),
        ("Cast", () => Cast(new object[1])),
        ("Lambda", () => Lambda(1)),
        ("Closure", () => Closure(1)),
        ("Local", () => Local(1)),
        ("Linq", () => Linq(5)),
        ("Iterate", () => Iterate(5)),
        ("IterateGuarded", () => IterateGuarded(5)),
        ("Before", () => Before(1).GetAwaiter().GetResult()),
        ("After", () => After(1).GetAwaiter().GetResult()),
        ("Chain", () => Chain(1).GetAwaiter().GetResult()),
        ("AsyncTry", () => AsyncTry(1).GetAwaiter().GetResult()),
        ("AsyncLambda", () => AsyncLambda(1).GetAwaiter().GetResult()),
        ("AsyncGeneric", () => AsyncGeneric("x", 1).GetAwaiter().GetResult()),
        ("Switch b", () => Switch("b")),
        ("Switch d", () => Switch("d")),
        ("Switch e", () => Switch("e")),
        ("Switch f", () => Switch("f")),
        ("Pattern int", () => Pattern(6)),
        ("Pattern string", () => Pattern("abc")),
        ("Pattern object", () => Pattern(new object[0])),
        ("Conditional", () => Conditional(4)),
        ("Using", () => Using(1)),
        ("Lock", () => Lock(shapes)),
        ("Money", () => Money(1)),
        ("Money +", () => Money(100)),
        ("Ref", () => Ref(new int[1], 1)),
        ("Tuple", () => Tuple(4)),
        ("Recursive", () => Recursive(3)),
        ("Long", () => Long(5)),
        ("Lines", () => Lines(5)),
        ("Big 1", () => Big(1)),
        ("Big 2", () => Big(2)),
        ("As", () => new Box<string>().As<string>(1)),
        ("Initialized", () => Initialized.Get()),
    };

    static int Main()
    {
        int thrown = 0;
        foreach ((string name, Func<object> shape) in shapes)
        {
            try
            {
                Console.WriteLine("== " + name);
                Console.WriteLine(shape());
            }
            catch (Exception e)
            {
                thrown++;
                Console.WriteLine(e);
            }
        }
        Console.WriteLine(thrown + " of " + shapes.Length);
        return 0;
    }
}
