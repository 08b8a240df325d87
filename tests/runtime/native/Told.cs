// Says of each value what an inspector should be told: the method, and the value.
using System;
using System.Threading.Tasks;

class Told
{
    public int Number() { return 1; }
    public static string Text() { return "text"; }
    public static T Same<T>(T value) { return value; }
    public static int Over(int value) { return value; }
    public static long Over(long value) { return value; }
    public static async Task<int> Later() { await Task.Yield(); return 5; }
}

class ToldGeneric<T>
{
    public T Same(T value) { return value; }
    public static int Count() { return 2; }
}

static class Program
{
    static void Say(string name, object value) { Console.WriteLine(name + " " + value); }

    static int Main()
    {
        Say("Told::Number", new Told().Number());
        Say("Told::Text", Told.Text());
        Say("Told::Same", Told.Same(3));
        Say("Told::Same", Told.Same("three"));
        Say("Told::Over", Told.Over(4));
        Say("Told::Over", Told.Over(4L));
        Say("Told::Later", Told.Later().Result);
        Say("ToldGeneric`1::Same", new ToldGeneric<int>().Same(6));
        Say("ToldGeneric`1::Same", new ToldGeneric<string>().Same("six"));
        Say("ToldGeneric`1::Count", ToldGeneric<object>.Count());
        return 100;
    }
}
