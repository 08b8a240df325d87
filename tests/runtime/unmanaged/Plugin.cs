// What Unload.cs loads, again and again.
using System;
using System.Collections.Generic;

public enum Kind { A, B }

public record Item(string Name, int Number, Kind Kind);

public class Box<T>
{
    public T Value;
}

public static class Plugin
{
    public static object Make(int i)
    {
        switch (i % 4)
        {
            case 0: return new Item("p", i, Kind.B);
            case 1: return new Box<Item> { Value = new Item("b", i, Kind.A) };
            case 2: return new List<Item> { new Item("l", i, Kind.B) };
            default: return new Item[] { null, new Item("a", i, Kind.A) };
        }
    }

    public static T Same<T>(T value)
    {
        return value;
    }

    public static Func<Item, Item> Call()
    {
        return Same<Item>;
    }

    public static void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Make(i);
            Call();
            Same(new Item("s", i, Kind.A));
        }
    }
}
