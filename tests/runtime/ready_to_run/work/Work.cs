// Work that goes through much of the framework; the same output each time.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using System.Xml.Linq;
using System.Xml.Serialization;

public sealed class Order
{
    public int Number { get; set; }
    public string Customer { get; set; } = "";
    public decimal Total { get; set; }
    public List<string> Items { get; set; } = new();
}

static class Work
{
    static List<Order> Orders() =>
        Enumerable.Range(1, 200).Select(i => new Order {
            Number = i,
            Customer = "customer " + i % 7,
            Total = i * 1.25m,
            Items = Enumerable.Range(0, i % 5).Select(j => $"item {i}.{j}").ToList(),
        }).ToList();

    static string Hash(byte[] bytes) => Convert.ToHexString(SHA256.HashData(bytes))[..16];

    static void Query(List<Order> orders)
    {
        var groups = from order in orders
                     where order.Items.Count > 1
                     group order by order.Customer into g
                     orderby g.Sum(o => o.Total) descending, g.Key
                     select $"{g.Key}: {g.Count()} {g.Sum(o => o.Total):0.00} {g.Max(o => o.Number)}";
        Console.WriteLine(string.Join("; ", groups));
        Console.WriteLine(orders.SelectMany(o => o.Items).Distinct().Reverse().Skip(5).Take(3).Aggregate((a, b) => a + "," + b));
        ImmutableArray<int> numbers = orders.Select(o => o.Number).Where(n => n % 3 == 0).ToImmutableArray();
        Console.WriteLine(numbers.Length + " " + numbers[4] + " " + numbers.ToImmutableSortedSet().Max);
    }

    static void Json(List<Order> orders)
    {
        string json = JsonSerializer.Serialize(orders, new JsonSerializerOptions { WriteIndented = true });
        List<Order> again = JsonSerializer.Deserialize<List<Order>>(json)!;
        using JsonDocument document = JsonDocument.Parse(json);
        Console.WriteLine($"{json.Length} {again.Count} {document.RootElement[9].GetProperty("Total").GetDecimal()}");
        Console.WriteLine(Hash(Encoding.UTF8.GetBytes(json)));
    }

    static void Xml(List<Order> orders)
    {
        var serializer = new XmlSerializer(typeof(List<Order>));
        var text = new StringWriter();
        serializer.Serialize(text, orders);
        XElement root = XElement.Parse(text.ToString());
        Console.WriteLine($"{text.ToString().Length} {root.Descendants("Items").Count()} {root.Elements().Sum(e => (decimal)e.Element("Total")!)}");
        var again = (List<Order>)serializer.Deserialize(new StringReader(text.ToString()))!;
        Console.WriteLine(again[42].Customer);
    }

    static async Task Others(List<Order> orders)
    {
        var counts = new ConcurrentDictionary<string, int>();
        await Parallel.ForEachAsync(orders, (o, _) => {
            counts.AddOrUpdate(o.Customer, 1, (_, n) => n + 1);
            return ValueTask.CompletedTask;
        });
        Console.WriteLine(string.Join(" ", counts.OrderBy(c => c.Key, StringComparer.Ordinal).Select(c => c.Value)));
        var regex = new Regex(@"(?<word>[a-z]+) (?<number>\d+)(?:\.(\d+))?");
        Console.WriteLine(regex.Replace("item 12.4 and customer 7", m => $"<{m.Groups["number"].Value}>"));
        var packed = new MemoryStream();
        using (var zip = new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true)) {
            zip.Write(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("abcdef ", 1000))));
        }
        packed.Position = 0;
        using var unpacked = new StreamReader(new GZipStream(packed, CompressionMode.Decompress));
        Console.WriteLine((await unpacked.ReadToEndAsync()).Length);
    }

    static async Task Main()
    {
        List<Order> orders = Orders();
        Query(orders);
        Json(orders);
        Xml(orders);
        await Others(orders);
    }
}
