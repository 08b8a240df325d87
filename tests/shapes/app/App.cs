using System;
using System.Linq;

static class App
{
    static int Square(int x) => x * x;
    static string Name() => "app";

    static int Main()
    {
        Console.WriteLine($"{Name()} {Square(7)} {new[] { 3, 1, 2 }.OrderBy(x => x).First()}");
        return 0;
    }
}
