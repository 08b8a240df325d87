using System;
using System.Collections.Generic;
using System.Threading;

struct Order
{
    public int Id;
    public decimal Total;
    public string Name;
}

enum Color { Red, Green, Blue }

class Thing
{
    public int Size;
    public Color Color { get; set; }
}

class Box : Thing
{
    public List<int> Sides;
}

// Each method returns 1,000 values, whose numbers are those of `i`.
static class Choice
{
    static int Number(int i) { return i; }
    static Order Order(int i) { return new Order { Id = i, Total = i * 1.5m, Name = i % 2 == 0 ? "x" + i : null }; }
    static string Text(int i) { return i % 10 == 0 ? null : "s" + i; }
    static long? Maybe(int i) { return i % 4 == 0 ? (long?)null : i; }
    static object Thing(int i) { return i % 2 == 0 ? new Thing { Size = i, Color = (Color)(i % 3) } : new Box { Size = i, Sides = new List<int> { i, 2 * i } }; }
    static ref int Reference(int[] numbers, int i) { return ref numbers[i]; }

    // What JSON has to escape, and as much as a line can have.
    static object Odd(int i)
    {
        switch (i)
        {
            case 0: return "\"\\\n\u202e\ud83d\ude00\ud83d\u20ac";
            case 1: return '"';
            case 2: return new string('"', 1000);
            case 3: return new string('\u20ac', 1000);
            case 4: return new Thing[] { null, new Box { Sides = new List<int>() } };
            default: return null;
        }
    }

    static void Work()
    {
        int[] numbers = new int[1000];
        for (int i = 0; i < numbers.Length; i++)
        {
            numbers[i] = i;
            Number(i);
            Order(i);
            Text(i);
            Maybe(i);
            Reference(numbers, i);
            Thing(i);
        }
    }

    static void Main(string[] arguments)
    {
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
        if (arguments.Length > 0 && arguments[0] == "odd")
        {
            for (int i = 0; i < 6; i++)
            {
                Odd(i);
            }
            return;
        }
        int count = arguments.Length > 0 ? int.Parse(arguments[0]) : 1;
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            threads[i] = new Thread(Work);
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine("done");
    }
}
