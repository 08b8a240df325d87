// Alone ROUNDS: what /orders/7 of the shop does, without a server, by one thread; prints the microseconds that an order takes, the least of
// so many rounds.
using System;
using System.Diagnostics;

public static class Program
{
    public static void Main(string[] arguments)
    {
        const int Orders = 2000;
        var repository = new Repository();
        var mapper = new Mapper(new Prices());
        double least = double.MaxValue;
        for (int round = int.Parse(arguments[0]); round > 0; round--)
        {
            long begin = Stopwatch.GetTimestamp();
            for (int i = 0; i < Orders; i++)
                mapper.Map(repository.Find(7));
            least = Math.Min(least, Stopwatch.GetElapsedTime(begin).TotalMicroseconds / Orders);
        }
        Console.WriteLine(least.ToString("F2"));
    }
}
