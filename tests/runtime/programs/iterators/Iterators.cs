// Each kind of iterator: the values are shown under its name when they are yielded, each once (Iterators.rules.xml). What
// the consumer sees is printed.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

namespace Iterators
{
    static class Out
    {
        public static void Show(string name, object value)
        {
            Console.WriteLine(name + " = " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }
        public static void All<T>(string name, IEnumerable<T> values)
        {
            foreach (T value in values) { Show(name, value); }
        }
    }

    // Hides what is printed: it is the same with the values that an inspector gives back.
    static class Sees
    {
        public static string Text(string text) { return text; }
        public static int Number(int number) { return number; }
    }

    enum Color { Red, Green }
    struct Large { public long A, B, C; public override string ToString() { return "large"; } }

    static class Plain
    {
        static IEnumerable<int> Numbers() { yield return 1; yield return 2; yield return 3; }
        static IEnumerable<int> Loop(int n) { for (int i = 0; i < n; i++) { yield return 10 * i; } }
        static IEnumerable<int> Nothing() { yield break; }
        static IEnumerable<string> Texts() { yield return "a"; yield return null; yield return "b"; }
        static IEnumerable<object> Things() { yield return 4.5; yield return "o"; yield return null; }
        static IEnumerable<Color> Enums() { yield return Color.Green; yield return Color.Red; }
        static IEnumerable<Large> Structs() { yield return new Large { A = 1, B = 2, C = 3 }; }
        static IEnumerable<int?> Nullables() { yield return 5; yield return null; }
        static IEnumerable<(int, string)> Tuples() { yield return (6, "six"); }
        static IEnumerable<bool> Truths() { yield return false; yield return true; }
        static IEnumerable<double> Reals() { yield return 0.5; }
        static IEnumerable<int[]> Arrays() { yield return new[] { 1, 2 }; }
        static IEnumerable<IEnumerable<int>> Sequences() { yield return Loop(1); }
        static IEnumerable Untyped() { yield return 7; yield return "seven"; }
        static IEnumerator<int> Enumerator() { yield return 8; yield return 9; }
        static IEnumerator UntypedEnumerator() { yield return "e"; }
        static IEnumerable<int> Early(int n) { if (n == 0) { yield break; } yield return n; if (n == 1) { yield break; } yield return -n; }
        static IEnumerable<int> Property { get { yield return 11; } }
        static IEnumerable<decimal> Down(int n) { yield return n; if (n > 0) { foreach (decimal d in Down(n - 1)) { yield return d; } } }
        // Not iterators: the sequence is what they return.
        static IEnumerable<int> Passes() { return Loop(1); }
        static IEnumerable<int> Array() { return new[] { 1 }; }
        public static void Run()
        {
            Out.All("Numbers", Numbers());
            Out.All("Loop", Loop(3));
            Out.All("Nothing", Nothing());
            Out.All("Texts", Texts());
            Out.All("Things", Things());
            Out.All("Enums", Enums());
            Out.All("Structs", Structs());
            Out.All("Nullables", Nullables());
            Out.All("Tuples", Tuples());
            Out.All("Truths", Truths());
            Out.All("Reals", Reals());
            foreach (int[] array in Arrays()) { Out.Show("Arrays", array[1]); }
            foreach (IEnumerable<int> inner in Sequences()) { Out.All("Sequences", inner); }
            foreach (object o in Untyped()) { Out.Show("Untyped", o); }
            var e = Enumerator();
            while (e.MoveNext()) { Out.Show("Enumerator", e.Current); }
            Out.Show("Enumerator", e.MoveNext());
            var u = UntypedEnumerator();
            while (u.MoveNext()) { Out.Show("UntypedEnumerator", u.Current); }
            Out.All("Early", Early(0));
            Out.All("Early", Early(1));
            Out.All("Early", Early(2));
            Out.All("Property", Property);
            Out.All("Down", Down(2));
            Out.All("Passes", Passes());
            Out.All("Array", Array());
        }
    }

    // What the consumer does with Current does not matter.
    static class Consumers
    {
        static IEnumerable<int> Values() { yield return 1; yield return 2; yield return 3; }
        public static void Run()
        {
            foreach (int value in Values()) { if (value == 2) { break; } }
            using (var e = Values().GetEnumerator())
            {
                Out.Show("never", e.MoveNext() && e.MoveNext());
            }
            using (var e = Values().GetEnumerator())
            {
                e.MoveNext();
                IEnumerator untyped = e;
                Out.Show("often", e.Current + e.Current + (int)untyped.Current + (int)untyped.Current);
            }
            var twice = Values();
            using (var a = twice.GetEnumerator())
            using (var b = twice.GetEnumerator())
            {
                a.MoveNext();
                b.MoveNext();
                a.MoveNext();
                Out.Show("two at once", a.Current * 10 + b.Current);
            }
            var other = ((IEnumerable)Values()).GetEnumerator();
            while (other.MoveNext()) { Out.Show("boxed", other.Current); }
            var list = new List<int>(Values());
            Out.Show("list", list.Count);
        }
    }

    static class Flow
    {
        static IEnumerable<int> Finally(List<string> trace)
        {
            try { yield return 1; yield return 2; }
            finally { trace.Add("finally"); }
            yield return 3;
        }
        static IEnumerable<int> Nested(List<string> trace)
        {
            try
            {
                try { yield return 1; }
                finally { trace.Add("inner"); }
                yield return 2;
            }
            finally { trace.Add("outer"); }
        }
        static IEnumerable<int> Throws(bool first)
        {
            yield return 1;
            if (first) { throw new InvalidOperationException("first"); }
            yield return 2;
        }
        static IEnumerable<string> Catches()
        {
            string caught = null;
            try { foreach (int value in Throws(true)) { caught = "none" + value; } }
            catch (InvalidOperationException e) { caught = e.Message; }
            yield return caught;
        }
        static IEnumerable<int> Using(List<string> trace)
        {
            using (new Closes { Trace = trace }) { yield return trace.Count; yield return trace.Count; }
        }
        static IEnumerable<int> Lock(object o) { lock (o) { yield return 1; } }
        static IEnumerable<string> Switch(params string[] texts)
        {
            foreach (string text in texts)
            {
                switch (text)
                {
                    case "a": yield return "A"; break;
                    case "b": goto case "a";
                    case "c": continue;
                    case "d": yield break;
                    default: yield return "?"; break;
                }
            }
        }
        static IEnumerable<int> Break(List<string> trace)
        {
            try
            {
                for (int i = 0; ; i++)
                {
                    if (i == 2) { yield break; }
                    yield return i;
                }
            }
            finally { trace.Add("break"); }
        }
        // Its MoveNext is long: branches over what is inserted become long, too.
        static IEnumerable<int> Many()
        {
            yield return 0; yield return 1; yield return 2; yield return 3; yield return 4; yield return 5; yield return 6;
            yield return 7; yield return 8; yield return 9; yield return 10; yield return 11; yield return 12; yield return 13;
        }
        class Closes : IDisposable
        {
            public List<string> Trace;
            public void Dispose() { Trace.Add("closed"); }
        }
        public static void Run()
        {
            var trace = new List<string>();
            Out.All("Finally", Finally(trace));
            foreach (int value in Finally(trace)) { break; }
            Out.All("Nested", Nested(trace));
            foreach (int value in Nested(trace)) { if (value == 2) { break; } }
            try { Out.All("Throws", Throws(true)); } catch (InvalidOperationException e) { Out.Show("Throws", e.Message); }
            Out.All("Throws", Throws(false));
            Out.All("Catches", Catches());
            Out.All("Using", Using(trace));
            Out.All("Lock", Lock(trace));
            Out.All("Switch", Switch("a", "b", "c", "x", "d", "a"));
            Out.All("Break", Break(trace));
            Out.All("Many", Many());
            Out.Show("trace", string.Join(" ", trace.ToArray()));
        }
    }

    class Generic<T> : IEnumerable<T>
    {
        readonly T[] values;
        public Generic(params T[] values) { this.values = values; }
        public IEnumerator<T> GetEnumerator() { foreach (T value in values) { yield return value; } }
        IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
        public IEnumerable<T> this[int n] { get { for (; n < values.Length; n++) { yield return values[n]; } } }
        public IEnumerable<KeyValuePair<T, U>> With<U>(U other) { foreach (T value in values) { yield return new KeyValuePair<T, U>(value, other); } }
        public IEnumerable<List<T>> Lists() { yield return new List<T>(values); }
        public class Inner<U>
        {
            public IEnumerable<U> Second(T t, U u) { yield return u; yield return u; }
            public IEnumerable<V> Third<V>(V v) where V : struct { yield return v; }
        }
    }

    interface IGives<T, U> { IEnumerable<string> Give(T t, U u); }

    // The name of the state machine has commas, brackets and a plus in it, which mean something in an attribute.
    class Explicit : IGives<int[], Explicit.Nested>, IGives<string, Dictionary<int, string>>
    {
        public class Nested { }
        IEnumerable<string> IGives<int[], Nested>.Give(int[] t, Nested u) { yield return "one"; }
        IEnumerable<string> IGives<string, Dictionary<int, string>>.Give(string t, Dictionary<int, string> u) { yield return "two"; }
        public static void Run()
        {
            IGives<int[], Nested> one = new Explicit();
            IGives<string, Dictionary<int, string>> two = new Explicit();
            foreach (string text in one.Give(null, null)) { Sees.Text(text); }
            foreach (string text in two.Give(null, null)) { Sees.Text(text); }
        }
    }

    struct Value
    {
        public int N;
        public IEnumerable<int> Around() { yield return N - 1; yield return N + 1; }
        public static IEnumerable<Value> operator +(Value a, Value b) { yield return a; yield return b; }
    }

    static class Generics
    {
        static IEnumerable<T> Repeat<T>(T value, int n) { while (n-- > 0) { yield return value; } }
        public static void Run()
        {
            Out.All("Repeat", Repeat(12, 2));
            Out.All("Repeat", Repeat("r", 1));
            var g = new Generic<string>("s", "t");
            Out.All("Generic", g);
            Out.All("Item", g[1]);
            Out.All("With", g.With(13));
            foreach (var list in g.Lists()) { Out.Show("Lists", list.Count); }
            var inner = new Generic<int>.Inner<string>();
            Out.All("Second", inner.Second(14, "u"));
            Out.All("Third", inner.Third(1.5));
            Out.All("Around", new Value { N = 16 }.Around());
            foreach (Value value in new Value { N = 17 } + new Value { N = 18 }) { Out.Show("operator", value.N); }
        }
    }

    // Compilers make their names up, but what the inspector gives back shows that it was called.
    static class Locals
    {
#if __MonoCS__ // has no local functions
        static IEnumerable<int> Local(int n) { yield return n; yield return n + 1; }
        static IEnumerable<T> LocalOf<T>(T value) { yield return value; }
        public static void Run()
        {
#else
        public static void Run()
        {
            IEnumerable<int> Local(int n) { yield return n; yield return n + 1; }
            IEnumerable<T> LocalOf<T>(T value) { yield return value; }
#endif
            Func<int, IEnumerable<int>> lambda = n => Local(n);
            foreach (int value in Local(30)) { Sees.Number(value); }
            foreach (int value in lambda(40)) { Sees.Number(value); }
            foreach (string value in LocalOf("local")) { Sees.Text(value); }
        }
    }

    // What the inspector gives back is what the consumer sees.
    static class Changed
    {
        static IEnumerable<int> Numbers() { yield return 41; yield return 42; }
        static IEnumerable<string> Texts() { try { yield return "changed"; } finally { Sees.Number(0); } }
        static IEnumerable<decimal?> Nullables() { yield return 43; yield return null; }
        static IEnumerable<long> Other() { yield return 44; }
        static IEnumerable<T> Generic<T>(T value) { yield return value; }
        public static void Run()
        {
            foreach (int value in Numbers()) { Sees.Number(value); }
            foreach (string value in Texts()) { Sees.Text(value); }
            foreach (decimal? value in Nullables()) { Sees.Text(value.ToString()); }
            foreach (long value in Other()) { Sees.Text(value.ToString()); }
            foreach (int value in Generic(45)) { Sees.Number(value); }
            foreach (string value in Generic("g")) { Sees.Text(value); }
        }
    }

    static class Whole
    {
        static IEnumerable<int> Shown() { yield return 51; }
        static IEnumerable<int> Alone() { yield return 52; }
        static IEnumerable<int> Excluded() { yield return 53; }
        public static void Run()
        {
            Out.All("Whole", Shown());
            Out.All("Whole", Alone());
            Out.All("Whole", Excluded());
        }
    }

    static class Unselected
    {
        static IEnumerable<int> Numbers() { yield return 61; }
        public static void Run() { Out.All("Unselected", Numbers()); }
    }

    static class Program
    {
        static int Main()
        {
            Plain.Run();
            Consumers.Run();
            Flow.Run();
            Generics.Run();
            Explicit.Run();
            Locals.Run();
            Changed.Run();
            Whole.Run();
            Unselected.Run();
#if NET10
            Net10.Streams.Run().GetAwaiter().GetResult();
#endif
            return 100;
        }
    }
}

#if NET10
namespace Iterators.Net10
{
    static class Streams
    {
        static async IAsyncEnumerable<int> Numbers() { yield return 1; await Task.Yield(); yield return 2; yield return 3; }
        static async IAsyncEnumerable<int> Loop(int n)
        {
            for (int i = 0; i < n; i++)
            {
                await Task.Yield();
                yield return i;
                await Task.Yield();
            }
        }
        static async IAsyncEnumerable<string> Nothing() { await Task.Yield(); yield break; }
        static async IAsyncEnumerable<string> Texts() { yield return "a"; await Task.Yield(); yield return null; }
        static async IAsyncEnumerable<(int, string)> Tuples() { await Task.Yield(); yield return (4, "four"); }
        static async IAsyncEnumerable<T> Of<T>(params T[] values) { foreach (T value in values) { await Task.Yield(); yield return value; } }
        static async IAsyncEnumerator<int> Enumerator() { await Task.Yield(); yield return 5; yield return 6; }
        static async IAsyncEnumerable<int> Finally(List<string> trace)
        {
            try
            {
                yield return 1;
                await Task.Yield();
                yield return 2;
            }
            finally
            {
                await Task.Yield();
                trace.Add("finally");
            }
            yield return 3;
        }
        static async IAsyncEnumerable<int> Throws(bool before)
        {
            if (before) { throw new InvalidOperationException("before"); }
            yield return 1;
            await Task.Yield();
            throw new InvalidOperationException("after");
        }
        static async IAsyncEnumerable<int> Cancelled([System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken token = default)
        {
            yield return 1;
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            yield return 2;
        }
        static async IAsyncEnumerable<int> Doubled(IAsyncEnumerable<int> values)
        {
            await foreach (int value in values) { yield return 2 * value; }
        }
        // Hoisted, and of the type of the machine's own promise: its result is no value of the iterator.
        static async IAsyncEnumerable<bool> Promises()
        {
            var source = new System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore<bool>();
            await Task.Yield();
            yield return false;
            source.SetResult(true);
            yield return source.GetStatus(source.Version) == System.Threading.Tasks.Sources.ValueTaskSourceStatus.Succeeded;
        }
        static async IAsyncEnumerable<int> Spans(string text)
        {
            ReadOnlySpan<char> before = text.AsSpan(1);
            int n = before.Length;
            yield return n;
            await Task.Yield();
            ReadOnlySpan<char> rest = text.AsSpan(2);
            n = rest.Length;
            yield return n;
        }
        static IEnumerable<int> SpansInBetween(string text)
        {
            ReadOnlySpan<char> before = text.AsSpan(1);
            int n = before.Length;
            yield return n;
        }
        static IEnumerable<nint> Natives() { yield return 7; }
        static IEnumerable<dynamic> Dynamics() { yield return "dynamic"; yield return 8; }
        interface IFactory { static abstract IEnumerable<string> Make(); }
        class Factory : IFactory { static IEnumerable<string> IFactory.Make() { yield return "made"; } }
        static IEnumerable<string> Make<T>() where T : IFactory => T.Make();
        static async Task All<T>(string name, IAsyncEnumerable<T> values)
        {
            await foreach (T value in values) { Out.Show(name, value); }
        }
        static async Task Local()
        {
            async IAsyncEnumerable<int> Inside(int n) { await Task.Yield(); yield return n; yield return n + 1; }
            await foreach (int value in Inside(70)) { Sees.Number(value); }
        }
        public static async Task Run()
        {
            await All("Numbers", Numbers());
            await All("Loop", Loop(2));
            await All("Nothing", Nothing());
            await All("Texts", Texts());
            await All("Tuples", Tuples());
            await All("Of", Of(1.5, 2.5));
            await All("Of", Of("v"));
            await using (var e = Enumerator())
            {
                while (await e.MoveNextAsync()) { Out.Show("Enumerator", e.Current + e.Current); }
            }
            var trace = new List<string>();
            await All("Finally", Finally(trace));
            await foreach (int value in Finally(trace)) { break; }
            Out.Show("trace", string.Join(" ", trace));
            foreach (bool before in new[] { true, false })
            {
                try { await All("Throws", Throws(before)); } catch (InvalidOperationException e) { Out.Show("Throws", e.Message); }
            }
            using (var source = new CancellationTokenSource())
            {
                try
                {
                    await foreach (int value in Cancelled().WithCancellation(source.Token)) { Out.Show("Cancelled", value); source.Cancel(); }
                }
                catch (OperationCanceledException) { Out.Show("Cancelled", true); }
            }
            await All("Doubled", Doubled(Loop(2)));
            await All("Promises", Promises());
            await All("Spans", Spans("text"));
            Out.All("SpansInBetween", SpansInBetween("text"));
            Out.All("Natives", Natives());
            Out.All("Dynamics", Dynamics());
            Out.All("Make", Make<Factory>());
            await Local();
        }
    }
}
#endif
