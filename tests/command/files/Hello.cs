// A program for Mono, .NET and .NET Framework alike: mscorlib 4.0 is all it needs.
using System;

namespace Hello
{
    static class Program
    {
        static string Greeting(string name) { return "Hello, " + name; }

        static int Main()
        {
            Console.WriteLine(Greeting("world"));
            return 0;
        }
    }
}
