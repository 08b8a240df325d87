// What an inspector that throws must not change: a number, a text, a struct, and the result of an async method.
using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

public static class Shown
{
    public struct Pair { public int A; public string B; public override string ToString() => A + B; }

    [MethodImpl(MethodImplOptions.NoInlining)] public static int Number(int x) => x > 1 ? x : -x;
    [MethodImpl(MethodImplOptions.NoInlining)] public static string Text(string s) { try { return s + "!"; } finally { GC.KeepAlive(s); } }
    [MethodImpl(MethodImplOptions.NoInlining)] public static Pair Two(int a, string b) => new Pair { A = a, B = b };
    public static async Task<int> Later(int x) { await Task.Yield(); return x + 1; }

    static void Round()
    {
        string line;
        try { line = Number(2) + " " + Text("t") + " " + Two(3, "b") + " " + Later(4).GetAwaiter().GetResult(); }
        catch (InvalidOperationException e) { line = "thrown: " + e.Message; }
        Console.WriteLine(line);
    }

    public static void Main(string[] arguments)
    {
        if (arguments.Length > 0)
        {
            Round();
            Console.WriteLine("ready");
            Console.ReadLine();
        }
        for (int i = 0; i < 3; i++) Round();
    }
}
