// Reads a line, and ends with the exit code that it reads, or reads on. What methods return is of another assembly.

using System;

static class App
{
    static Color Paint(string text) { return text.Length > 1 ? Color.Green : Color.Red; }

    static Window Open(int left) { return new Window { Left = left }; }

    static Pair Both(int a) { return new Pair { A = a, B = Lib.Twice(a) }; }

    static string Read() { return Console.In.ReadLine(); }

    static int Main(string[] arguments)
    {
        string line = Read();
        Console.WriteLine("{0} {1} {2} {3}", line, Paint(line), Open(3).Left, Both(4).B);
        if (arguments.Length != 0 && arguments[0] == "stay")
        {
            Console.In.ReadToEnd();
        }
        return arguments.Length == 0 ? 0 : int.Parse(arguments[0]);
    }
}
