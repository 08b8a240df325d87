// A program that runs for some seconds before others look at it.
using System.Threading;

namespace Wait
{
    static class Program
    {
        static int rounds;

        static int Next() => ++rounds;

        static string Text(int round) => "round " + round;

        static void Main(string[] arguments)
        {
            for (int left = int.Parse(arguments[0]) * 20; left > 0; left--)
            {
                Text(Next());
                Thread.Sleep(50);
            }
        }
    }
}
