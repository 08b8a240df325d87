using System;
using System.Runtime.CompilerServices;
using Pair;

struct Own
{
    public int X;
}

static class App
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int UseSmall(int x) => Lib.Small(x);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int UseFixed(int x) => Lib.Fixed(x);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int UseBox(int x) => new Box<Own>(new Own { X = x }).Get().X;

    static void Main() => Console.WriteLine($"{UseSmall(3)} {UseFixed(5)} {UseBox(7)} {Lib.Far(9)}");
}
