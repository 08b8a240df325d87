// Objects of many types, by four threads, while garbage is collected all the time: moving.py knows what each line has to be.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

record Customer(string Name, int Age, object Tag);

class Node
{
    public Node Next;
    public int[] Data;
    public List<string> Names;
    public Dictionary<string, int> Map;
}

static class Moving
{
    static object Make(int i)
    {
        switch (i % 6)
        {
            case 0: return new Customer("c" + i, i, new int[i % 20]);
            case 1:
                return new Node
                {
                    Next = new Node(), Data = new int[] { i, i + 1 }, Names = new List<string> { "n" + i },
                    Map = new Dictionary<string, int> { { "k" + i, i } }
                };
            case 2: return (i, "t" + i);
            case 3: return new List<Customer> { new Customer("l" + i, i, null) };
            case 4: return new InvalidOperationException("m" + i, new Exception("inner" + i));
            default: return Task.FromResult("r" + i);
        }
    }

    static T Same<T>(T value)
    {
        return value;
    }

    static void Work(int first, int count)
    {
        List<object> garbage = new List<object>();
        for (int i = first; i < first + count; i++)
        {
            Make(i);
            Same(new Customer("g" + i, i, i));
            Same((i, i.ToString()));
            garbage.Add(new byte[i % 500]);
            if (garbage.Count > 200)
            {
                garbage.Clear();
            }
        }
    }

    static void Main(string[] arguments)
    {
        int count = int.Parse(arguments[0]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.Length; i++)
        {
            int first = i * 1000000;
            threads[i] = new Thread(() => Work(first, count));
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine(GC.CollectionCount(0) > 5 ? "collected" : "not collected");
    }
}
