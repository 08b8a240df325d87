using System;
using System.Diagnostics;
using System.Linq;

static class App
{
    static int Square(int x) => x * x;
    static string Name() => "app";

    static int Checked(int x)
    {
        int y = Square(x);
        if (y == 49)
            throw new InvalidOperationException(Name());
        return y;
    }

    // What it prints ends with where Checked() threw, which a PDB says.
    static int Main()
    {
        string place = "";
        try
        {
            Checked(-7);
        }
        catch (InvalidOperationException e)
        {
            StackFrame frame = new StackTrace(e, true).GetFrame(0);
            place = $"{frame.GetFileLineNumber()}:{frame.GetFileColumnNumber()}";
        }
        Console.WriteLine($"{Name()} {Square(7)} {new[] { 3, 1, 2 }.OrderBy(x => x).First()} {place}");
        return 0;
    }
}
