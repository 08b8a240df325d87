// Work for the framework's own code: regular expressions, LINQ, JSON, text, collections, tasks. It prints what comes of it.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Threading.Channels;
using System.Threading.Tasks;
using System.Xml.Linq;

CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
foreach (var (name, work) in new (string, Func<string>)[] { ("regex", Work.Expressions), ("linq", Work.Queries), ("json", Work.Json), ("text", Work.Texts),
    ("xml", Work.Xml), ("bytes", Work.Bytes), ("numbers", Work.Numbers), ("failures", Work.Failures) })
{
    Console.WriteLine($"{name}: {work()}");
}
Console.WriteLine("tasks: " + await Work.Tasks());
return 5;

static class Work
{
    static string Text() => string.Join('\n', Enumerable.Range(0, 200).Select(i => $"{i:x4} user{i % 17}@host{i % 5}.example 2026-0{1 + i % 9}-1{i % 10} +{i * 37 % 1000}.50"));

    public static string Expressions()
    {
        var text = Text();
        var counts = new List<int>();
        foreach (var options in new[] { RegexOptions.None, RegexOptions.Compiled, RegexOptions.NonBacktracking, RegexOptions.IgnoreCase | RegexOptions.Multiline })
        {
            counts.Add(Regex.Matches(text, @"\b(?<name>[a-z]+\d+)@(?<host>\w+)\.example", options).Count);
            counts.Add(Regex.Replace(text, @"(\d{4})-(\d\d)-(\d\d)", m => m.Groups[3].Value + "." + m.Groups[2].Value, options).Length);
            counts.Add(Regex.Split(text, @"[\s@.]+", options).Length);
        }
        counts.Add(Regex.Matches(text, @"^(?=.*user7)(?:[0-9a-f]{4}) .*$", RegexOptions.Multiline).Count);
        counts.Add(Regex.Matches("((a)(b(c)))", @"\((?:[^()]|(?<open>\()|(?<-open>\)))*(?(open)(?!))\)").Count);
        return string.Join(' ', counts);
    }

    record Row(int Id, string Name, decimal Amount, DateTime Day);

    public static string Queries()
    {
        var rows = Enumerable.Range(1, 500).Select(i => new Row(i, "n" + i % 23, i * 1.25m, new DateTime(2026, 1, 1).AddDays(i % 40))).ToList();
        var groups = from row in rows
                     where row.Id % 3 != 0
                     group row by row.Name into named
                     orderby named.Sum(row => row.Amount) descending, named.Key
                     select (named.Key, Total: named.Sum(row => row.Amount), Days: named.Select(row => row.Day).Distinct().Count());
        var joined = rows.Join(rows.Where(row => row.Id < 50), row => row.Name, row => row.Name, (a, b) => a.Id * b.Id).Sum();
        var chunks = rows.Chunk(64).Select(chunk => chunk.MaxBy(row => row.Amount)!.Id).Aggregate(0, (sum, id) => sum ^ id);
        var zipped = rows.Zip(rows.Skip(7), (a, b) => b.Id - a.Id).Distinct().Single();
        return $"{string.Join(',', groups.Take(3))} {joined} {chunks} {zipped} {rows.ToLookup(row => row.Day)[new DateTime(2026, 1, 5)].Count()} "
            + rows.AsParallel().Where(row => row.Id % 2 == 0).Select(row => (long)row.Id).Sum();
    }

    public static string Json()
    {
        var made = new JsonObject { ["items"] = new JsonArray(Enumerable.Range(0, 100).Select(i => (JsonNode)new JsonObject { ["id"] = i, ["text"] = "t\u00e9\"" + i }).ToArray()) };
        var text = made.ToJsonString();
        using var parsed = JsonDocument.Parse(text);
        var sum = parsed.RootElement.GetProperty("items").EnumerateArray().Sum(item => item.GetProperty("id").GetInt32());
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream, new JsonWriterOptions { Indented = true }))
        {
            parsed.RootElement.WriteTo(writer);
        }
        var reader = new Utf8JsonReader(stream.ToArray());
        var tokens = 0;
        while (reader.Read())
        {
            tokens += (int)reader.TokenType;
        }
        return $"{text.Length} {sum} {stream.Length} {tokens} {JsonNode.DeepEquals(made, JsonNode.Parse(text))}";
    }

    public static string Texts()
    {
        var built = new StringBuilder();
        for (var i = 0; i < 100; i++)
        {
            built.AppendFormat(CultureInfo.InvariantCulture, "{0,6:N1}|{1:x}|{2:O};", i * 1.5, i, DateTime.UnixEpoch.AddHours(i));
        }
        var bytes = Encoding.UTF8.GetBytes(built.ToString() + "\u20ac\U0001F600");
        return $"{bytes.Length} {Encoding.UTF8.GetString(bytes).Normalize().Length} {built.ToString().Split('|').Max(part => part.Length)} {"\u00c4B".ToLowerInvariant()} "
            + Convert.ToBase64String(bytes.AsSpan(0, 9));
    }

    public static string Xml()
    {
        var tree = new XElement("root", Enumerable.Range(0, 50).Select(i => new XElement("item", new XAttribute("id", i), "v" + i)));
        var back = XDocument.Parse(tree.ToString());
        return back.Descendants("item").Where(item => (int)item.Attribute("id")! % 7 == 0).Select(item => item.Value).Aggregate((a, b) => a + b);
    }

    public static string Bytes()
    {
        var data = Encoding.ASCII.GetBytes(Text());
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Optimal, true))
        {
            gzip.Write(data);
        }
        packed.Position = 0;
        using var unpacked = new MemoryStream();
        new GZipStream(packed, CompressionMode.Decompress).CopyTo(unpacked);
        return $"{unpacked.Length == data.Length} {Convert.ToHexString(SHA256.HashData(unpacked.ToArray()))[..16]}";
    }

    public static string Numbers() =>
        $"{BigInteger.Pow(7, 200) % 1_000_007} {Math.Round(Enumerable.Range(1, 100).Sum(i => Math.Sqrt(i)), 6)} {decimal.Parse("12.50") * 3} {Int128.MaxValue % 1000} {(Half)1.5}";

    public static string Failures()
    {
        var seen = new List<string>();
        foreach (var failing in new Action[] { () => int.Parse("x"), () => new List<int>()[0].ToString(), () => ((object)"s").Equals(((string)null!).Length),
            () => JsonDocument.Parse("{"), () => new Regex("("), () => Enumerable.Empty<int>().First() })
        {
            try
            {
                failing();
            }
            catch (Exception e)
            {
                seen.Add(e.GetType().Name);
            }
        }
        return string.Join(' ', seen);
    }

    public static async Task<string> Tasks()
    {
        var channel = Channel.CreateBounded<int>(4);
        var writing = Task.Run(async () =>
        {
            for (var i = 0; i < 100; i++)
            {
                await channel.Writer.WriteAsync(i);
            }
            channel.Writer.Complete();
        });
        var sum = 0;
        await foreach (var number in channel.Reader.ReadAllAsync())
        {
            sum += number;
        }
        await writing;
        var squares = await Task.WhenAll(Enumerable.Range(0, 20).Select(async i => { await Task.Yield(); return i * i; }));
        return $"{sum} {squares.Sum()}";
    }
}
