// A program that updates itself while it runs: update 1 gives methods new bodies and adds one, update 2 changes them again and
// adds a type.
using System;
using System.IO;
using System.Reflection;
using System.Reflection.Metadata;
using System.Collections.Generic;

public static class App
{
    static readonly Dictionary<string, int> counts = new();

#if UPDATE1
    static string Changed(int value) => "one " + Added(value);
    static long Added(int value) => value + 1000L;
#elif UPDATE2
    static string Changed(int value) => "two " + Added(value) + Late.Text(value);
    static long Added(int value) => value + 2000L;
#else
    static string Changed(int value) => "zero " + value;
#endif
    static int Same(int value) => value * 2;

    static T Generic<T>(T value)
    {
#if UPDATE1 || UPDATE2
        var list = new List<T> { value, value };
        return list[1];
#else
        return value;
#endif
    }

    static void Show(int number)
    {
        Console.WriteLine($"{number}: {Changed(number)} {Same(number)} {Generic(number)} {Generic("text")}");
    }

    static void Main(string[] arguments)
    {
        Show(0);
        for (int update = 1; update <= 2; update++)
        {
            string delta = Path.Combine(AppContext.BaseDirectory, "update" + update);
            MetadataUpdater.ApplyUpdate(typeof(App).Assembly, File.ReadAllBytes(delta + ".metadata"), File.ReadAllBytes(delta + ".il"), default);
            Show(update);
            Show(update + 10);
        }
    }
}

#if UPDATE2
public static class Late
{
    public static string Text(decimal value) => " late " + value;
}
#endif
