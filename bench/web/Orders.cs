// What a shop does with its orders: a repository, prices, texts, and records of all that for whoever shows them. Small methods are among
// those that it calls, so that what is inspected weighs something beside the program. A web service has it (Shop.cs), and a program
// without one (Alone.cs).
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

public enum Level { New, Silver, Gold }

public readonly record struct Money(decimal Amount, string Currency)
{
    public Money Plus(Money other) => new(Amount + other.Amount, Currency);
    public Money Times(int count) => new(Amount * count, Currency);
    public Money Less(decimal percent) => new(Math.Round(Amount * (100 - percent) / 100, 2), Currency);
    public string AsText() => Amount.ToString("F2") + " " + Currency;
}

public sealed record Item(int Id, string Name, Money Price);
public sealed record Line(Item Item, int Count)
{
    public Money Total() => Item.Price.Times(Count);
}
public sealed record Customer(int Id, string Name, Level Level);
public sealed record Order(int Id, Customer Customer, List<Line> Lines);
public sealed record LineView(string Item, int Count, string Total);
public sealed record OrderView(int Id, string Customer, string Level, LineView[] Lines, string Total, string ToPay);

public sealed class Repository
{
    private readonly Dictionary<int, Order> _orders = new();

    public Repository()
    {
        for (int id = 1; id <= 100; id++)
        {
            var customer = new Customer(id % 10, "Customer " + id % 10, (Level)(id % 3));
            var lines = new List<Line>();
            for (int i = 0; i < 2; i++)
                lines.Add(new Line(new Item(i, "Item " + i, new Money(1.25m * (i + 1), "EUR")), i + id % 4));
            _orders[id] = new Order(id, customer, lines);
        }
    }

    public Order Find(int id) => _orders.TryGetValue(id, out var order) ? order : null;

    public async Task<Order> FindAsync(int id)
    {
        await Task.Yield();
        return Find(id);
    }
}

public sealed class Prices
{
    public decimal Discount(Level level) => level switch { Level.Gold => 10, Level.Silver => 5, _ => 0 };

    public Money Sum(Order order)
    {
        var sum = new Money(0, "EUR");
        foreach (var line in order.Lines)
            sum = sum.Plus(line.Total());
        return sum;
    }

    public Money ToPay(Order order) => ToPay(order, Sum(order));

    public Money ToPay(Order order, Money sum) => sum.Less(Discount(order.Customer.Level));
}

public sealed class Mapper(Prices prices)
{
    public string NameOf(Level level) => level.ToString();

    public LineView Map(Line line) => new(line.Item.Name, line.Count, line.Total().AsText());

    public OrderView Map(Order order)
    {
        Money sum = prices.Sum(order);
        return new(order.Id, order.Customer.Name, NameOf(order.Customer.Level), order.Lines.Select(Map).ToArray(), sum.AsText(),
                   prices.ToPay(order, sum).AsText());
    }
}
