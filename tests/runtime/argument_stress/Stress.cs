// Says itself which lines its calls have to give:  Stress.dll EXPECTED THREADS ROUNDS
// Objects are new when they are passed, and move while their text is made and while methods run, which change all that they were given.
using System;
using System.Globalization;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

class Person
{
    public string Name;
    public int Age;
    public Person Next;

    public string Rename(string to, int n)
    {
        string old = Name;
        Name = to;
        Age = -1;
        Stress.Waste(n);
        return old + to;
    }
}

struct Pair
{
    public string Text;
    public object Box;
    public long Number;
    public Pair(int n) { Text = "p" + n; Box = n % 500; Number = (long)n << 33; }
    public override string ToString() => throw new NotSupportedException();
}

static class Stress
{
    [ThreadStatic] static byte[][] kept;
    [ThreadStatic] static StringBuilder expected;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Waste(int n)
    {
        kept ??= new byte[16][];
        for (int i = 0; i < 4; i++)
        {
            kept[(n + i) % 16] = new byte[n * 7 % 900 + 100];
        }
    }

    // ---- what is called ----

    static string All(string text, int n, Person person, int[] numbers, object box)
    {
        string copy = text;
        person.Name = "changed";
        person.Next = null;
        numbers[0] = -1;
        text = null;
        Waste(n);
        numbers = null;
        person = null;
        box = null;
        return copy;
    }

    static long Structs(Pair pair, in Pair other, ref Pair by, out Pair rest)
    {
        rest = by;
        by.Text = "changed";
        by.Box = null;
        Waste((int)(pair.Number >> 33));
        pair = default;
        return other.Number;
    }

    // Some calls leave by an exception, which the one around them catches, so that its own entry is what its line has.
    static int Down(Person person, int depth, string label)
    {
        if (depth == 0)
        {
            return 0;
        }
        int n = person.Age;
        if (n % 4 == 3 && depth % 3 == 0)
        {
            Waste(n);
            throw new InvalidOperationException();
        }
        Person below = new Person { Name = "d" + depth, Age = n };
        int result;
        try
        {
            result = Down(below, depth - 1, label + depth) + 1;
        }
        catch (InvalidOperationException)
        {
            result = -depth;
        }
        Waste(n);
        person.Name = null;
        label = null;
        return result;
    }

    static T Same<T>(T value, T[] values)
    {
        values[0] = default;
        Waste(3);
        return value;
    }

    static async Task<string> Later(string text, Person person)
    {
        person.Name = "changed";
        await Task.CompletedTask;
        return text;
    }

    // What it was given waits in a state machine, which moves.
    static async Task<T> Yields<T>(T value, Pair pair, string text)
    {
        Waste(text.Length);
        await Task.Yield();
        Waste((int)(pair.Number >> 33));
        return value;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static int Inlined(int n, string text) { return text.Length + n; }
    static int Around(int n, string text) { return Inlined(n, text) + Inlined(n + 1, text + "x"); }

    // ---- what that has to give ----

    static string I(long n) => n.ToString(CultureInfo.InvariantCulture);
    static string OfPerson(string name, int age, string next) => "Person {Name=" + name + ", Age=" + I(age) + ", Next=" + next + "}";
    static string OfPair(int n) => "{Text=\"p" + I(n) + "\", Box=" + I(n % 500) + ", Number=" + I((long)n << 33) + "}";
    static void Expect(string line) => expected.Append(line).Append('\n');

    // What Down() returns; int.MinValue: it does not.
    static int ExpectDown(string name, int n, int depth, string label)
    {
        int result = 0;
        if (depth != 0)
        {
            if (n % 4 == 3 && depth % 3 == 0)
            {
                return int.MinValue;
            }
            int below = ExpectDown("d" + I(depth), n, depth - 1, label + I(depth));
            result = below == int.MinValue ? -depth : below + 1;
        }
        Expect("Stress::Down(person: " + OfPerson("\"" + name + "\"", n, "null") + ", depth: " + I(depth) + ", label: \"" + label + "\") -> " + I(result) + " (System.Int32)");
        return result;
    }

    static void Round(int n)
    {
        string s = I(n);
        All("a" + s, n, new Person { Name = "n" + s, Age = n, Next = new Person { Name = null, Age = -n } }, new int[] { n, n + 1 }, n);
        Expect("Stress::All(text: \"a" + s + "\", n: " + s + ", person: " + OfPerson("\"n" + s + "\"", n, OfPerson("null", -n, "null")) +
            ", numbers: [2: " + s + ", " + I(n + 1) + "], box: " + s + ") -> \"a" + s + "\" (System.String)");
        Pair by = new Pair(n + 2);
        Structs(new Pair(n), new Pair(n + 1), ref by, out Pair _);
        Expect("Stress::Structs(pair: " + OfPair(n) + ", other: " + OfPair(n + 1) + ", by: " + OfPair(n + 2) + ", rest: out) -> " + I((long)(n + 1) << 33) + " (System.Int64)");
        int depth = n % 9;
        try { Down(new Person { Name = "top", Age = n }, depth, "l"); } catch (InvalidOperationException) { }
        ExpectDown("top", n, depth, "l");
        Same(n, new int[] { n, -n });
        Expect("Stress::Same(value: " + s + ", values: [2: " + s + ", " + I(-n) + "]) -> " + s + " (System.Int32)");
        Same("g" + s, new string[] { "v" + s });
        Expect("Stress::Same(value: \"g" + s + "\", values: [1: \"v" + s + "\"]) -> \"g" + s + "\" (System.String)");
        Same(new Pair(n), new Pair[] { new Pair(n + 3) });
        Expect("Stress::Same(value: " + OfPair(n) + ", values: [1: " + OfPair(n + 3) + "]) -> " + OfPair(n) + " (Pair)");
        new Person { Name = "r" + s, Age = n }.Rename("t" + s, n);
        Expect("Person::Rename(this: " + OfPerson("\"r" + s + "\"", n, "null") + ", to: \"t" + s + "\", n: " + s + ") -> \"r" + s + "t" + s + "\" (System.String)");
        Later("f" + s, new Person { Name = "w" + s, Age = n }).Wait();
        Expect("Stress::Later(text: \"f" + s + "\", person: " + OfPerson("\"changed\"", n, "null") + ") -> \"f" + s + "\" (System.String)");
        Yields("y" + s, new Pair(n + 4), "z" + s).Wait();
        Expect("Stress::Yields(value: \"y" + s + "\", pair: " + OfPair(n + 4) + ", text: \"z" + s + "\") -> \"y" + s + "\" (System.String)");
        Yields(new Pair(n), new Pair(n + 5), "z" + s).Wait();
        Expect("Stress::Yields(value: " + OfPair(n) + ", pair: " + OfPair(n + 5) + ", text: \"z" + s + "\") -> " + OfPair(n) + " (Pair)");
        Around(n, "i" + s);
        int length = s.Length + 1;
        Expect("Stress::Inlined(n: " + s + ", text: \"i" + s + "\") -> " + I(length + n) + " (System.Int32)");
        Expect("Stress::Inlined(n: " + I(n + 1) + ", text: \"i" + s + "x\") -> " + I(length + n + 2) + " (System.Int32)");
        Expect("Stress::Around(n: " + s + ", text: \"i" + s + "\") -> " + I(2 * (length + n) + 2) + " (System.Int32)");
    }

    static int Main(string[] arguments)
    {
        int count = int.Parse(arguments[1]), rounds = int.Parse(arguments[2]);
        Thread[] threads = new Thread[count];
        using StreamWriter writer = new StreamWriter(arguments[0]);
        for (int i = 0; i < count; i++)
        {
            int first = i * 1000000;
            threads[i] = new Thread(() =>
            {
                expected = new StringBuilder();
                for (int n = first; n < first + rounds; n++)
                {
                    Round(n);
                    if (expected.Length > 100000 || n == first + rounds - 1)
                    {
                        lock (writer) { writer.Write(expected.ToString()); }
                        expected.Clear();
                    }
                }
            });
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine(GC.CollectionCount(0));
        return 3;
    }
}
