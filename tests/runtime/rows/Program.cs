// Another profiler gives Number a body of its own, which needs rows that are not in the file.
using System;
using System.Runtime.CompilerServices;

public struct Pair { public int Left, Right; }

public static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Number(int value) => value;

    public static string Text(int value) => "text " + value;
    public static T Same<T>(T value) => value;

    public static void Main()
    {
        for (int i = 0; i < 3; i++)
            Console.WriteLine(Number(39 + i) + Text(i) + Same(i) + Same(new Pair { Left = i }).Left);
    }
}
