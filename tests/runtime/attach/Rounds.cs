// For each line of standard input as many rounds as it says, each of which makes three calls with a number of their own.
using System;
using System.Runtime.CompilerServices;

public static class Rounds
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Next(int round) => round + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Name(int round) => string.Concat("round ", round.ToString());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static (int, long) Both(int round) => (round, -round);

    static void Main()
    {
        Console.WriteLine("ready");
        string line;
        for (int round = 0; (line = Console.ReadLine()!) != null; Console.WriteLine("did " + round))
            for (int last = round + int.Parse(line); round < last; round++)
            {
                Next(round);
                Name(round);
                Both(round);
            }
    }
}
