// Iterators whose values are shown with the arguments: of sequences and enumerators, async and not, read more than once.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

struct Pair
{
    public int Left, Right;

    public IEnumerable<int> Both(int factor)
    {
        yield return factor * Left;
        yield return factor * Right;
    }
}

class Box<T>
{
    T content;

    public Box(T content) => this.content = content;

    public IEnumerator<T> Often<U>(int times, U other, string label)
    {
        for (int i = 0; i < times && label != null; i++)
            yield return other == null ? default(T) : content;
    }

    public async IAsyncEnumerator<T> Later(int times)
    {
        for (int i = 0; i < times; i++)
        {
            await Task.Yield();
            yield return content;
        }
    }
}

static class Iterators
{
    static IEnumerable<int> Range(int first, int count)
    {
        for (int i = 0; i < count; i++)
            yield return first + i;
    }

    static IEnumerable<int> Many(int a, long b, string c, double d, decimal e, Pair f, int? g, object h, char i, bool j)
    {
        yield return a + (int)b + c.Length + (int)d + (int)e + f.Left + g.GetValueOrDefault() + (h == null ? 1 : 0) + i + (j ? 1 : 0);
    }

    static IEnumerable<string> Nothing(string text)
    {
        if (text.Length > 100)
            yield return text;
    }

    // What they change is not known.
    static IEnumerable<int> Changes(int first, int count)
    {
        for (; count > 0; count--)
            yield return first++;
    }

    static IEnumerable<int> Finally(int first, int kept)
    {
        try
        {
            yield return first + kept;
        }
        finally
        {
            first = 7;
        }
        yield return first;
    }

    static async IAsyncEnumerable<string> Words(string text, int most)
    {
        foreach (string word in text.Split(' '))
            if (most > 1)
            {
                await Task.Yield();
                yield return word;
            }
    }

    static async IAsyncEnumerable<int> Cancels(int count, [EnumeratorCancellation] CancellationToken token = default)
    {
        for (int i = 0; i < count && !token.IsCancellationRequested; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    static async IAsyncEnumerable<int> Fails(int at)
    {
        await Task.Yield();
        yield return at;
        throw new InvalidOperationException("at " + at);
    }

    static async Task Main()
    {
        int sum = 0;
        IEnumerable<int> range = Range(5, 2);
        for (int i = 0; i < 2; i++) // the second enumerator is another object
            foreach (int value in range)
                sum += value;
        Thread thread = new Thread(() => { foreach (int value in Range(8, 1)) sum += value; });
        foreach (int value in Many(1, 2, "three", 4.5, 6.5m, new Pair { Left = 7 }, 8, null, 'i', true))
            sum += value;
        thread.Start();
        thread.Join();
        foreach (string value in Nothing("text"))
            sum += value.Length;
        foreach (int value in Changes(1, 2))
            sum += value;
        foreach (int value in Finally(1, 2))
            sum += value;
        foreach (int value in new Pair { Left = 1, Right = 2 }.Both(3))
            sum += value;
        IEnumerator<string> often = new Box<string>("x").Often(1, 2.5, "y");
        while (often.MoveNext())
            sum += often.Current.Length;
        IAsyncEnumerator<int> later = new Box<int>(4).Later(2);
        while (await later.MoveNextAsync())
            sum += later.Current;
        IAsyncEnumerable<string> words = Words("some words", 5);
        await foreach (string word in words)
            sum += word.Length;
        await foreach (string word in words)
            sum += word.Length;
        await foreach (int value in Cancels(1))
            sum += value;
        using CancellationTokenSource source = new CancellationTokenSource();
        await foreach (int value in Cancels(2).WithCancellation(source.Token))
            sum += value;
        try
        {
            await foreach (int value in Fails(6))
                sum += value;
        }
        catch (InvalidOperationException e)
        {
            Console.WriteLine(e.Message);
        }
        Console.WriteLine(sum);
    }
}
