// Async methods and iterators that exceptions leave, or do not; what they do on the way is on standard output.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

class Own : Exception
{
    public int Code;
    public Own(int code) : base("own") { Code = code; }
}

// Takes what async void methods post, which would end the program.
class Posted : SynchronizationContext
{
    public override void Post(SendOrPostCallback callback, object state)
    {
        try { callback(state); } catch (Own e) { Console.WriteLine("posted " + e.Code); }
    }
}

class Box<T>
{
    public async Task<T> Get(T value, int code) { await Task.Yield(); if (code > 0) { throw new Own(code); } return value; }
    public async Task<U> Two<U>(T first, U value) { await Task.Yield(); if (first == null) { throw new ArgumentNullException("first"); } return value; }
    public virtual async Task Nothing(int code) { await Task.Yield(); if (code > 0) { throw new Own(code); } }
}

struct Value
{
    public int N;
    public async Task<int> Get() { int n = N; await Task.Yield(); return 10 / n; }
}

static class App
{
    static int Plain(int n) { if (n > 0) { throw new InvalidOperationException("n is " + n); } return n; }
    static async Task<int> Later(int n) { await Task.Yield(); return Plain(n); }
    static async Task<int> AtOnce(int n) { if (n > 0) { throw new Own(n); } await Task.Yield(); return n; }
    static async Task Nothing(int n) { await Task.Yield(); if (n > 0) { throw new Own(n); } }
    static async void Void(int n) { if (n > 0) { throw new Own(n); } await Task.Yield(); }
    static async Task<string> Outer(int n) { return "got " + await Later(n); }
    static async Task<int> Caught(int n) { try { return await Later(n); } catch (InvalidOperationException) { return -1; } }
    static async Task<int> When(int n) { try { return await Later(n); } catch (Exception e) when (e.Message == "n is 1") { await Task.Yield(); return -2; } }
    static async Task<int> Finally(int n) { try { return await Later(n); } finally { await Task.Yield(); Console.WriteLine("finally " + n); } }
    static async Task<int> Replaced(int n) { try { return await Later(n); } finally { await Nothing(n); } }
    static async Task<int> Wrap(int n) { try { return await Later(n); } catch (Exception e) { throw new Exception("wrapped", e); } }
    static async Task<int> Always() { await Task.Yield(); throw new NotSupportedException("never"); }
    static async Task<T> Same<T>(T value) { await Task.Yield(); if (value == null) { throw new ArgumentNullException("value"); } return value; }
    static async Task<int> Canceled() { await Task.Yield(); throw new OperationCanceledException("enough"); }
    // Its source is no builder, though both have a SetException.
    static async Task<int> Source(int n)
    {
        var source = new TaskCompletionSource<int>();
        await Task.Yield();
        source.SetException(new Own(n));
        return source.Task.Exception == null ? 0 : n;
    }
    static Task<int> Lambda(int n) { Func<int, Task<int>> f = async m => { await Task.Yield(); throw new Own(m); }; return f(n); }
    static IEnumerable<int> Many(int n) { yield return n; Plain(n); }
#if NEWER
    static async ValueTask<int> Short(int n) { await Task.Yield(); return Plain(n); }
    static async ValueTask Shorter(int n) { if (n > 0) { throw new Own(n); } await Task.Yield(); }
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    static async ValueTask<int> Pooled(int n) { await Task.Yield(); return Plain(n); }
    static async Task<int> Pair((int, string) pair) { await Task.Yield(); return Plain(pair.Item1); }
    static async Task<(int, string)> Pairs(int n) { await Task.Yield(); return (Plain(n), "b"); }
    static async IAsyncEnumerable<int> Stream(int n) { yield return 1; await Task.Yield(); Plain(n); yield return 2; }
    static async IAsyncEnumerable<T> StreamOf<T>(T value, int n) { try { if (n > 0) { throw new Own(n); } yield return value; } finally { await Task.Yield(); } }
    static async Task<int> Sum(IAsyncEnumerable<int> from) { int sum = 0; await foreach (int n in from) { sum += n; } return sum; }
    static async Own2 Task2(int n) { await Task.Yield(); throw new Own(n); }
#endif

    static void Try(string name, Func<object> action)
    {
        try { Console.WriteLine(name + " " + (action() ?? "null")); }
        catch (AggregateException e) { Console.WriteLine(name + " " + e.InnerException.GetType()); }
        catch (Exception e) { Console.WriteLine(name + " " + e.GetType()); }
    }

    static object Done(Task task) { task.Wait(); return task.Status; }

    static int Main()
    {
        Try("later 0", () => Later(0).Result);
        Try("later 1", () => Later(1).Result);
        Try("at once 0", () => AtOnce(0).Result);
        Try("at once 1", () => AtOnce(1).Result);
        Try("nothing 0", () => Done(Nothing(0)));
        Try("nothing 2", () => Done(Nothing(2)));
        SynchronizationContext.SetSynchronizationContext(new Posted());
        Void(3);
        SynchronizationContext.SetSynchronizationContext(null);
        Try("outer", () => Outer(1).Result);
        Try("caught", () => Caught(1).Result);
        Try("when 1", () => When(1).Result);
        Try("when 2", () => When(2).Result);
        Try("finally", () => Finally(1).Result);
        Try("replaced", () => Replaced(4).Result);
        Try("wrap", () => Wrap(1).Result);
        Try("always", () => Always().Result);
        Try("same", () => Same("a").Result);
        Try("same null", () => Same<string>(null).Result);
        Try("same 5", () => Same(5).Result);
        Try("canceled", () => Canceled().Result);
        Try("source", () => Source(5).Result);
        Try("lambda", () => Lambda(6).Result);
        Try("many", () => { foreach (int n in Many(1)) { } return null; });
        Try("box", () => new Box<string>().Get("a", 0).Result);
        Try("box 7", () => new Box<string>().Get("a", 7).Result);
        Try("box of int", () => new Box<int>().Get(1, 8).Result);
        Try("two", () => new Box<string>().Two(null, 1).Result);
        Try("virtual", () => Done(new Box<int>().Nothing(9)));
        Try("struct", () => default(Value).Get().Result);
#if NEWER
        Try("short", () => Short(1).AsTask().Result);
        Try("shorter", () => Done(Shorter(1).AsTask()));
        Try("pooled", () => Pooled(1).AsTask().Result);
        Try("pair", () => Pair((1, "a")).Result);
        Try("pairs", () => Pairs(1).Result);
        Try("stream 0", () => Sum(Stream(0)).Result);
        Try("stream 1", () => Sum(Stream(1)).Result);
        Try("stream of", () => Sum(StreamOf(3, 0)).Result);
        Try("stream of 2", () => Sum(StreamOf(3, 2)).Result);
        Try("task-like", () => Task2(10).Done());
#endif
        return 0;
    }
}

#if NEWER
// A task-like type with a builder that is a class.
[AsyncMethodBuilder(typeof(Builder))]
class Own2
{
    public readonly TaskCompletionSource<int> Source = new TaskCompletionSource<int>();
    public object Done() { Source.Task.Wait(); return null; }
}

class Builder
{
    AsyncTaskMethodBuilder inner = AsyncTaskMethodBuilder.Create();
    public static Builder Create() => new Builder();
    public Own2 Task { get; } = new Own2();
    public void Start<TStateMachine>(ref TStateMachine machine) where TStateMachine : IAsyncStateMachine { inner.Start(ref machine); }
    public void SetStateMachine(IAsyncStateMachine machine) { }
    public void SetResult() { Task.Source.SetResult(0); }
    public void SetException(Exception exception) { Task.Source.SetException(exception); }
    public void AwaitOnCompleted<A, S>(ref A awaiter, ref S machine) where A : INotifyCompletion where S : IAsyncStateMachine { inner.AwaitOnCompleted(ref awaiter, ref machine); }
    public void AwaitUnsafeOnCompleted<A, S>(ref A awaiter, ref S machine) where A : ICriticalNotifyCompletion where S : IAsyncStateMachine { inner.AwaitUnsafeOnCompleted(ref awaiter, ref machine); }
}
#endif
