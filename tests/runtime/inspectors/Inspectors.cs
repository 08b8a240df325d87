// Inspectors of every form, one for each symbol that is defined. Each writes lines to the file that OWN_OUTPUT names.
using System;
using System.IO;

static class Own
{
    internal static void Write(string line)
    {
        File.AppendAllText(Environment.GetEnvironmentVariable("OWN_OUTPUT"), line + "\n");
    }
}

#if PLAIN
public static class Plain
{
    public static void MyInspector(object value, string method) { Own.Write("Plain " + method + " " + value); }
}
#elif TYPED
public static class Typed
{
    public static void MyInspector(int value, string method) { Own.Write("Typed " + method + " int " + value); }
    public static void MyInspector(Lib.Point value, string method) { Own.Write("Typed " + method + " Point " + value.X); }
}
#elif GENERIC
public static class Generic
{
    public static void Inspect<T>(T value, string method) { Own.Write("Generic " + method + " " + typeof(T).Name + " " + value); }
}
#elif REPLACING
public static class Replacing
{
    public static int MyInspector(int value) { return value + 100; }
}
#elif THROWING
public static class Throwing
{
    public static void MyInspector(object value, string method)
    {
        Own.Write("Throwing " + method);
        throw new InvalidOperationException();
    }
}
#elif DEEP
public static class Deep
{
    public static void MyInspector(object value, string method) { Own.Write("Deep " + method + " " + Helper.Of(value)); }
}
#elif HELPER
public static class Helper
{
    public static string Of(object value) { return "helped " + Deeper.Of(value); }
}
#elif DEEPER
public static class Deeper
{
    public static string Of(object value) { return "deeper " + value; }
}
#endif
