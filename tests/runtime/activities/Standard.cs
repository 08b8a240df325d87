// A library for .NET Standard, whose System.Object is that of netstandard, and a program that calls it and prints the trace.
#if LIBRARY
public static class Library
{
    public static string Value(string text) => text;
}
#else
using System;
using System.Diagnostics;

static class Standard
{
    static void Main()
    {
        using Activity activity = new Activity("x").SetIdFormat(ActivityIdFormat.W3C).Start();
        Console.WriteLine(activity.TraceId + " " + Library.Value("called"));
    }
}
#endif
