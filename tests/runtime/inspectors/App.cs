// Returns a value of each kind that an inspector may treat differently. With an argument it starts itself once more.
using System;
using System.Diagnostics;
using System.Linq;

class Value { }

class App
{
    static int Number(int number) { return number; }
    static string Text() { return "text"; }
    static Lib.Point Place() { return Lib.Point.Make(7); }
    static T Same<T>(T value) { return value; }
    static Value Object() { return new Value(); }

    static int Main(string[] arguments)
    {
        Console.WriteLine("ready");
        Console.In.ReadLine();
        Console.WriteLine(Number(3) + " " + Text() + " " + Place().X + " " + Same(2) + Same("s") + " " + Object() + " " +
                          new[] { 1, 2 }.Select(Number).Sum());
        if (arguments.Length != 0)
        {
            ProcessStartInfo again = new ProcessStartInfo(Environment.ProcessPath, "exec " + typeof(App).Assembly.Location);
            again.RedirectStandardInput = true;
            using Process child = Process.Start(again);
            child.StandardInput.WriteLine("go");
            child.WaitForExit();
        }
        return 5;
    }
}
