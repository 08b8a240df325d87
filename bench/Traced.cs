// What bench/trace.sh traces: calls that do next to nothing, and a program that works mostly in the framework.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text.Json;

public sealed class Line { public string Item { get; set; } public int Count { get; set; } public decimal Price { get; set; } public decimal Total() { return Count * Price; } }
public sealed class Order { public int Id { get; set; } public string Customer { get; set; } public List<Line> Lines { get; set; } = new List<Line>(); }

public static class Traced
{
    static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

    static Order Make(int id)
    {
        var order = new Order { Id = id, Customer = "customer " + id };
        for (int i = 0; i < 8; i++) { order.Lines.Add(new Line { Item = "item " + i, Count = i, Price = 1.25m * i }); }
        return order;
    }

    static decimal Sum(Order order) { decimal sum = 0; foreach (var line in order.Lines) { sum += line.Total(); } return sum; }
    static decimal There(int id) { return Sum(JsonSerializer.Deserialize<Order>(JsonSerializer.Serialize(Make(id)))); }
    static decimal Orders(int count) { decimal sum = 0; for (int i = 0; i < count; i++) { sum += There(i); } return sum; }

    // Prints nanoseconds of processor time for each call of Fib, the least of some rounds; or milliseconds of it
    // for orders and all that came before, compiling too.
    public static int Main(string[] args)
    {
        var process = Process.GetCurrentProcess();
        double best = double.MaxValue;
        if (args[0] == "json")
        {
            decimal sum = Orders(int.Parse(args[1]));
            Console.WriteLine(process.TotalProcessorTime.TotalMilliseconds.ToString("0.0"));
            return sum > 0 ? 0 : 1;
        }
        for (int i = 0; i < 60; i++) { Fib(18); }
        System.Threading.Thread.Sleep(300); // compiled again meanwhile
        for (int i = 0; i < 60; i++) { Fib(18); }
        for (int round = 0; round < 7; round++)
        {
            process.Refresh();
            double before = process.TotalProcessorTime.TotalMilliseconds;
            Fib(31);
            process.Refresh();
            best = Math.Min(best, process.TotalProcessorTime.TotalMilliseconds - before);
        }
        Console.WriteLine((best * 1e6 / 4356617).ToString("0.00")); // calls of Fib(31)
        return 0;
    }
}
