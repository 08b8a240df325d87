// Says of each value what an inspector should get: the method, and the value.
using System;
using System.Threading.Tasks;

class Passed
{
    public int Number() { return 1; }
    public static string Text() { return "text"; }
    public static T Same<T>(T value) { return value; }
    public static int Over(int value) { return value; }
    public static long Over(long value) { return value; }
    public static async Task<int> Later() { await Task.Yield(); return 5; }
}

class PassedGeneric<T>
{
    public T Same(T value) { return value; }
    public static int Count() { return 2; }
}

static class Program
{
    static void Say(string name, object value) { Console.WriteLine(name + " " + value); }

    static int Main()
    {
        Say("Passed::Number", new Passed().Number());
        Say("Passed::Text", Passed.Text());
        Say("Passed::Same", Passed.Same(3));
        Say("Passed::Same", Passed.Same("three"));
        Say("Passed::Over", Passed.Over(4));
        Say("Passed::Over", Passed.Over(4L));
        Say("Passed::Later", Passed.Later().Result);
        Say("PassedGeneric`1::Same", new PassedGeneric<int>().Same(6));
        Say("PassedGeneric`1::Same", new PassedGeneric<string>().Same("six"));
        Say("PassedGeneric`1::Count", PassedGeneric<object>.Count());
        return 100;
    }
}
