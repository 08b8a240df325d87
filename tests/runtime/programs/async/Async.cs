// Each kind of async method: its result is shown under its name when it is set (Async.rules.xml). All of them are
// awaited one after the other, so that the lines have one order.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

// The program's own task-like types; no rule selects what is in them.
namespace Own
{
    // A struct as builder. It starts and finishes in the framework's.
    [AsyncMethodBuilder(typeof(FutureBuilder<>))]
    public class Future<T>
    {
        public Task<T> Task;
        public TaskAwaiter<T> GetAwaiter() { return Task.GetAwaiter(); }
    }

    public struct FutureBuilder<T>
    {
        AsyncTaskMethodBuilder<T> inner;
        public static FutureBuilder<T> Create()
        {
            return new FutureBuilder<T> { inner = AsyncTaskMethodBuilder<T>.Create() };
        }
        public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine
        {
            inner.Start(ref machine);
        }
        public void SetStateMachine(IAsyncStateMachine machine) { inner.SetStateMachine(machine); }
        public void SetResult(T result) { inner.SetResult(result); }
        public void SetException(Exception e) { inner.SetException(e); }
        public Future<T> Task { get { return new Future<T> { Task = inner.Task }; } }
        public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : INotifyCompletion
            where TMachine : IAsyncStateMachine
        {
            inner.AwaitOnCompleted(ref awaiter, ref machine);
        }
        public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : ICriticalNotifyCompletion
            where TMachine : IAsyncStateMachine
        {
            inner.AwaitUnsafeOnCompleted(ref awaiter, ref machine);
        }
    }

    // A class as builder, of a task-like struct.
    [AsyncMethodBuilder(typeof(PromiseBuilder<>))]
    public struct Promise<T>
    {
        public Task<T> Task;
        public TaskAwaiter<T> GetAwaiter() { return Task.GetAwaiter(); }
    }

    public class PromiseBuilder<T>
    {
        readonly TaskCompletionSource<T> source = new TaskCompletionSource<T>();
        public static PromiseBuilder<T> Create() { return new PromiseBuilder<T>(); }
        public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine { machine.MoveNext(); }
        public void SetStateMachine(IAsyncStateMachine machine) { }
        public void SetResult(T result) { source.SetResult(result); }
        public void SetException(Exception e) { source.SetException(e); }
        public Promise<T> Task { get { return new Promise<T> { Task = source.Task }; } }
        public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : INotifyCompletion
            where TMachine : IAsyncStateMachine
        {
            IAsyncStateMachine boxed = machine;
            awaiter.OnCompleted(boxed.MoveNext);
        }
        public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : ICriticalNotifyCompletion
            where TMachine : IAsyncStateMachine
        {
            IAsyncStateMachine boxed = machine;
            awaiter.OnCompleted(boxed.MoveNext);
        }
    }

    // Not generic: there is no result.
    [AsyncMethodBuilder(typeof(SignalBuilder))]
    public class Signal
    {
        public Task Task;
        public TaskAwaiter GetAwaiter() { return Task.GetAwaiter(); }
    }

    public struct SignalBuilder
    {
        AsyncTaskMethodBuilder inner;
        public static SignalBuilder Create()
        {
            return new SignalBuilder { inner = AsyncTaskMethodBuilder.Create() };
        }
        public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine
        {
            inner.Start(ref machine);
        }
        public void SetStateMachine(IAsyncStateMachine machine) { inner.SetStateMachine(machine); }
        public void SetResult() { inner.SetResult(); }
        public void SetException(Exception e) { inner.SetException(e); }
        public Signal Task { get { return new Signal { Task = inner.Task }; } }
        public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : INotifyCompletion
            where TMachine : IAsyncStateMachine
        {
            inner.AwaitOnCompleted(ref awaiter, ref machine);
        }
        public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
            where TAwaiter : ICriticalNotifyCompletion
            where TMachine : IAsyncStateMachine
        {
            inner.AwaitUnsafeOnCompleted(ref awaiter, ref machine);
        }
    }
}

namespace Async
{
    static class Out
    {
        public static void Show(string name, object value)
        {
            Console.WriteLine(name + " = " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }
    }

    enum Color { Red, Green }
    struct Large { public long A, B, C; public override string ToString() { return "large " + A + B + C; } }

    static class Plain
    {
        static async Task<int> Number() { await Task.Yield(); return 1; }
        static async Task<int> Early() { return 2; }
        static async Task<int> Several(int n)
        {
            if (n == 0) { return 30; }
            await Task.Yield();
            if (n == 1) { return 31; }
            for (int i = 0; ; i++)
            {
                await Task.Yield();
                if (i == n) { return 30 + i; }
            }
        }
        static async Task<string> Text() { await Task.Yield(); return "text"; }
        static async Task<string> None() { await Task.Yield(); return null; }
        static async Task<object> Anything() { await Task.Yield(); return 4.5; }
        static async Task<Color> Enum() { await Task.Yield(); return Color.Green; }
        static async Task<Large> Struct() { await Task.Yield(); return new Large { A = 1, B = 2, C = 3 }; }
        static async Task<int?> Nullable(bool some) { await Task.Yield(); return some ? 5 : (int?)null; }
        static async Task<(int, string)> Tuple() { await Task.Yield(); return (6, "six"); }
        static async Task<bool> Truth() { await Task.Yield(); return true; }
        static async Task<long> Wide() { await Task.Yield(); return 1L << 40; }
        static async Task<double> Real() { await Task.Yield(); return 0.5; }
        static async Task<int[]> Array() { await Task.Yield(); return new[] { 1, 2 }; }
        static async Task<List<int>> List() { await Task.Yield(); return new List<int> { 1 }; }
        static async Task<Task<int>> Nested() { await Task.Yield(); return Task.FromResult(7); }
        static async Task Nothing() { await Task.Yield(); }
        static async Task<int> Awaits() { return await Number() + await Early(); }
        // Not async: its task is shown, as is any other value.
        static Task<int> Passes() { return Early(); }
        static async void Fire(TaskCompletionSource<int> done) { await Task.Yield(); done.SetResult(8); }
        // A SetResult that is not the builder's, on a field of the state machine.
        static async Task<string> Source(TaskCompletionSource<int> source)
        {
            var other = new TaskCompletionSource<long>();
            await Task.Yield();
            source.SetResult(9);
            other.SetResult(10);
            return "source " + source.Task.Result + await other.Task;
        }
        public static async Task Run()
        {
            Out.Show("Number", await Number());
            Out.Show("Early", await Early());
            Out.Show("Several", await Several(0) + await Several(1) + await Several(2));
            Out.Show("Text", await Text());
            Out.Show("None", await None());
            Out.Show("Anything", await Anything());
            Out.Show("Enum", await Enum());
            Out.Show("Struct", await Struct());
            Out.Show("Nullable", await Nullable(true));
            Out.Show("Nullable", await Nullable(false));
            Out.Show("Tuple", await Tuple());
            Out.Show("Truth", await Truth());
            Out.Show("Wide", await Wide());
            Out.Show("Real", await Real());
            Out.Show("Array", (await Array())[1]);
            Out.Show("List", (await List()).Count);
            Out.Show("Nested", await await Nested());
            await Nothing();
            Out.Show("Awaits", await Awaits());
            Out.Show("Passes", await Passes());
            var done = new TaskCompletionSource<int>();
            Fire(done);
            Out.Show("Fire", await done.Task);
            Out.Show("Source", await Source(new TaskCompletionSource<int>()));
        }
    }

    static class Flow
    {
        static async Task<int> Throws(bool before)
        {
            if (before) { throw new InvalidOperationException("before"); }
            await Task.Yield();
            throw new InvalidOperationException("after");
        }
        static async Task<string> Catches(bool before)
        {
            try
            {
                return "not " + await Throws(before);
            }
            catch (InvalidOperationException e)
            {
                await Task.Yield();
                return "caught " + e.Message;
            }
        }
        static async Task<int> Finally(List<int> trace)
        {
            try
            {
                await Task.Yield();
                return trace.Count;
            }
            finally
            {
                await Task.Yield();
                trace.Add(1);
            }
        }
        static async Task<int> Using()
        {
            using (new Closes())
            {
                await Task.Yield();
                return Closes.Count;
            }
        }
        static async Task<int> Cancelled(CancellationToken token)
        {
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            return 1;
        }
        static async Task<int> Switch(string s)
        {
            await Task.Yield();
            switch (s)
            {
                case "a": return 1;
                case "b": return 2;
                case "c": return await Throws(false);
                default: return 3;
            }
        }
        public static async Task Run()
        {
            Out.Show("Catches", await Catches(true));
            Out.Show("Catches", await Catches(false));
            var trace = new List<int>();
            Out.Show("Finally", await Finally(trace) + trace.Count);
            Out.Show("Using", await Using());
            try { await Cancelled(new CancellationToken(true)); }
            catch (OperationCanceledException e) { Out.Show("Cancelled", e.GetType().Name != ""); }
            Out.Show("Switch", await Switch("b") + await Switch("z"));
        }
        class Closes : IDisposable
        {
            public static int Count;
            public void Dispose() { Count++; }
        }
    }

    class Generic<T>
    {
        readonly T value;
        public Generic(T value) { this.value = value; }
        public async Task<T> Value() { await Task.Yield(); return value; }
        public async Task<U> Other<U>(U other) { await Task.Yield(); return other; }
        public async Task<KeyValuePair<T, U>> Pair<U>(U other) { await Task.Yield(); return new KeyValuePair<T, U>(value, other); }
        public static async Task<List<T>> All(params T[] values) { await Task.Yield(); return new List<T>(values); }
        public class Inner<U>
        {
            public async Task<T> First(T t, U u) { await Task.Yield(); return t; }
            public async Task<U> Second(T t, U u) { await Task.Yield(); return u; }
        }
    }

    interface IGives<T, U> { Task<string> Give(T t, U u); }

    // The name of the state machine has commas, brackets and a plus in it, which mean something in an attribute.
    class Explicit : IGives<int[], Explicit.Nested>, IGives<string, Dictionary<int, string>>
    {
        public class Nested { }
        async Task<string> IGives<int[], Nested>.Give(int[] t, Nested u) { await Task.Yield(); return "one"; }
        async Task<string> IGives<string, Dictionary<int, string>>.Give(string t, Dictionary<int, string> u)
        {
            await Task.Yield();
            return "two";
        }
        public static async Task Run()
        {
            IGives<int[], Nested> one = new Explicit();
            IGives<string, Dictionary<int, string>> two = new Explicit();
            Sees.Text(await one.Give(null, null) + await two.Give(null, null));
        }
    }

    static class Generics
    {
        static async Task<T> Identity<T>(T value) { await Task.Yield(); return value; }
        public static async Task Run()
        {
            Out.Show("Identity", await Identity(11) + await Identity("g"));
            var g = new Generic<string>("t");
            Out.Show("Value", await g.Value());
            Out.Show("Other", await g.Other(12));
            Out.Show("Pair", await g.Pair(13));
            Out.Show("All", (await Generic<int>.All(1, 2)).Count);
            var inner = new Generic<int>.Inner<string>();
            Out.Show("Inner", await inner.First(14, "u") + await inner.Second(15, "u"));
        }
    }

    static class Values
    {
        static async ValueTask<int> Number() { await Task.Yield(); return 1; }
        static async ValueTask<string> Early() { return "early"; }
        static async ValueTask<T> Generic<T>(T value) { await Task.Yield(); return value; }
#if __MonoCS__ // fails on it
        static async Task Nothing() { await Task.Yield(); }
#else
        static async ValueTask Nothing() { await Task.Yield(); }
#endif
        public static async Task Run()
        {
            Out.Show("ValueTask", await Number() + await Early() + await Generic(2.5));
            await Nothing();
        }
    }

    static class Likes
    {
        static async Own.Future<int> Future() { await Task.Yield(); return 21; }
        static async Own.Future<T> FutureOf<T>(T value) { await Task.Yield(); return value; }
        static async Own.Promise<string> Promise() { await Task.Yield(); return "promise"; }
        static async Own.Promise<Large> PromiseEarly() { return new Large { C = 22 }; }
        static async Own.Signal Signal() { await Task.Yield(); }
        public static async Task Run()
        {
            Out.Show("Future", await Future());
            Out.Show("FutureOf", await FutureOf("f"));
            Out.Show("Promise", await Promise());
            Out.Show("PromiseEarly", await PromiseEarly());
            await Signal();
        }
    }

    // Compilers make their names up, but what the inspector gives back shows that it was called.
    static class Lambdas
    {
        public static async Task Run()
        {
            int captured = 31;
            Func<Task<int>> none = async () => { await Task.Yield(); return 30; };
            Func<int, Task<int>> some = async n => { await Task.Yield(); return captured + n; };
#if __MonoCS__ // has no local functions
            Func<int, Task<int>> Local = async n => { await Task.Yield(); return n + 2; };
            Func<object, Task<object>> LocalOf = async value => { await Task.Yield(); return value; };
#else
            async Task<int> Local(int n) { await Task.Yield(); return n + 2; }
            async Task<T> LocalOf<T>(T value) { await Task.Yield(); return value; }
#endif
            Sees.Number(await none());
            Sees.Number(await some(1));
            Sees.Number(await Local(captured));
            Sees.Text((string)await LocalOf("local"));
        }
    }

    // What the inspector gives back is the result. What is printed hides it: it is the same with and without.
    static class Changed
    {
        static async Task<int> Number() { await Task.Yield(); return 41; }
        static async Task<string> Text() { return "changed"; }
        static async ValueTask<decimal?> Nullable(decimal? d) { await Task.Yield(); return d; }
        static async Task<int> Several(bool first)
        {
            if (first) { return 43; }
            await Task.Yield();
            return 53;
        }
        static async Task<long> Other() { await Task.Yield(); return 44; }
        static async Task<T> Generic<T>(T value) { await Task.Yield(); return value; }
        public static async Task Run()
        {
            Sees.Text(await Number() + await Text());
            Sees.Text((await Nullable(42)).ToString() + (await Nullable(null)).ToString());
            Sees.Text("" + await Several(true) + await Several(false));
            Sees.Text("" + await Other() + await Generic(45) + await Generic("g"));
        }
    }

    static class Sees
    {
        public static string Text(string text) { return text; }
        public static int Number(int number) { return number; }
    }

    static class Whole
    {
        static async Task<int> Shown() { await Task.Yield(); return 51; }
        static async Task<int> Skipped() { await Task.Yield(); return 52; }
        static async Task<int> Alone() { await Task.Yield(); return 53; }
        static async Task<int> Excluded() { await Task.Yield(); return 54; }
        public static async Task Run()
        {
            Out.Show("Whole", await Shown() + await Skipped() + await Alone() + await Excluded());
        }
    }

    static class Unselected
    {
        static async Task<int> Number() { await Task.Yield(); return 61; }
        public static async Task Run() { Out.Show("Unselected", await Number()); }
    }

    static class Program
    {
        static async Task<int> All()
        {
            await Plain.Run();
            await Flow.Run();
            await Generics.Run();
            await Explicit.Run();
            await Values.Run();
            await Likes.Run();
            await Lambdas.Run();
            await Changed.Run();
            await Whole.Run();
            await Unselected.Run();
#if NET10
            await Net10.Kinds.Run();
#endif
            return 100;
        }
#if __MonoCS__ // knows no other
        static int Main() { return All().GetAwaiter().GetResult(); }
#else
        static async Task<int> Main() { return await All(); }
#endif
    }
}

#if NET10
namespace Async.Net10
{
    static class Kinds
    {
        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<int> Pooled(int n) { await Task.Yield(); return n; }
        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
        static async ValueTask PooledNothing() { await Task.Yield(); }
        // The method's own builder instead of the type's.
        [AsyncMethodBuilder(typeof(Own.FutureBuilder<>))]
        static async Own.Future<string> Overridden() { await Task.Yield(); return "overridden"; }
        static async Task<int> Span(string text)
        {
            ReadOnlySpan<char> before = text.AsSpan(1);
            int n = before.Length;
            await Task.Yield();
            ReadOnlySpan<char> rest = text.AsSpan(2);
            return 10 * n + rest.Length;
        }
        sealed class Closes : IAsyncDisposable
        {
            public static int Count;
            public async ValueTask DisposeAsync() { await Task.Yield(); Count++; }
        }
        static async Task<int> AwaitUsing()
        {
            await using var first = new Closes();
            await using (var second = new Closes())
            {
                await Task.Yield();
            }
            return Closes.Count;
        }
        static async IAsyncEnumerable<int> Stream(int n)
        {
            for (int i = 0; i < n; i++)
            {
                await Task.Yield();
                yield return i;
            }
        }
        static async Task<int> Sum(IAsyncEnumerable<int> values)
        {
            int sum = 0;
            await foreach (int value in values)
            {
                sum += value;
            }
            return sum;
        }
        static async Task<T> Bounded<T>(T value) where T : struct, IComparable<T> { await Task.Yield(); return value; }
        static async Task<dynamic> Dynamic() { await Task.Yield(); return "dynamic"; }
        static async Task<nint> Native() { await Task.Yield(); return 7; }
        public static async Task Run()
        {
            Out.Show("Pooled", await Pooled(71) + await Pooled(72));
            await PooledNothing();
            Out.Show("Overridden", await Overridden());
            Out.Show("Span", await Span("abcd"));
            Out.Show("AwaitUsing", await AwaitUsing());
            Out.Show("Sum", await Sum(Stream(4)));
            Out.Show("Bounded", await Bounded(73));
            Out.Show("Dynamic", (string)await Dynamic());
            Out.Show("Native", (long)await Native());
        }
    }
}
#endif
