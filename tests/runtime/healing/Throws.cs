// An inspector that throws at the call that the environment's THROWS_AT says, and writes down the others. No static constructor.
using System;
using System.IO;
using System.Threading;

public static class Throws
{
    static int calls;

    static void Note(string text)
    {
        if (Interlocked.Increment(ref calls) == int.Parse(Environment.GetEnvironmentVariable("THROWS_AT")!))
            throw new InvalidOperationException("no more: \u00fc");
        File.AppendAllText(Environment.GetEnvironmentVariable("THROWS_VALUES")!, text + "\n");
    }

    public static object MyArguments(object[] arguments, string method) { Note(method + " begins"); return method; }
    public static void MyInspector(object value, string method, object state) => Note(method + " = " + value + (state == null ? " without" : ""));
    public static void MyInspector(object value, string method) => Note(method + " = " + value);
}
