// The plain program that odd.py makes odd ones of: some of everything that metadata can hold.
using System;
using System.Collections.Generic;
using System.ComponentModel;

[Description("outer")]
public class Odd<T> where T : IComparable<T>
{
    public const int Constant = 42;
    static readonly byte[] table = { 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144 };
    event EventHandler Changed { add { count++; } remove { count--; } }
    int count;
    public int Count { get { Changed += null; return count + table[11]; } }

    [Description("nested")]
    public class Inner { public T Value; public T Get() { return Value; } }

    public static T Max(T a, T b) { return a.CompareTo(b) > 0 ? a : b; }
}

static class Program
{
    static int Square(int x) { return x * x; }
    static string Name(string given = "odd") { return given + "!"; }
    static decimal Half(decimal d) { return d / 2; }
    static int Unused(double x) { int n = 1; return n; }

    static int Main()
    {
        var inner = new Odd<int>.Inner { Value = 7 };
        var list = new List<string> { Name() };
        Console.WriteLine("{0} {1} {2} {3} {4} {5}", list[0], Square(inner.Get()), Half(5m), Odd<string>.Max("a", "b"),
                          new Odd<int>().Count, typeof(Odd<>).GetCustomAttributes(false).Length);
        return 0;
    }
}
