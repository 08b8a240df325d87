// A web API that answers until its standard input ends. It prints the address that it has got.

using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;
using System.Text.RegularExpressions;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Services.AddSingleton<Stock>();
builder.Services.AddScoped<Till>();
var app = builder.Build();
app.Use(async (context, next) =>
{
    context.Response.Headers["X-Path"] = Names.Tidy(context.Request.Path.Value ?? "");
    await next(context);
});
app.MapGet("/items", (Stock stock) => stock.All());
app.MapGet("/items/{name}", (string name, Stock stock) => stock.Find(name) is { } item ? Results.Ok(item) : Results.NotFound(new { name }));
app.MapPost("/orders", async (Order order, Till till) => Results.Ok(await till.Sell(order)));
app.MapGet("/fail", string () => throw new InvalidOperationException("no such shop"));
app.MapGet("/sum/{n}", (int n, Till till) => till.Sum(n));
app.UseExceptionHandler(handler => handler.Run(context => context.Response.WriteAsync("failed " + context.Response.StatusCode)));
app.Urls.Add("http://127.0.0.1:0");
await app.StartAsync();
Console.WriteLine(app.Urls.First());
Console.In.ReadToEnd();
await app.StopAsync();
return 3;

record Item(string Name, decimal Price, string[] Tags);
record Order([Required] string Name, int Count);
record Receipt(string Name, int Count, decimal Total, DateOnly Day);

class Stock
{
    readonly ConcurrentDictionary<string, Item> items = new();

    public Stock()
    {
        foreach (var (name, price) in new[] { ("apple", 0.5m), ("pear", 0.75m), ("plum", 0.2m) })
        {
            items[name] = new Item(name, price, [.. name.Select(letter => letter.ToString()).Distinct()]);
        }
    }

    public IEnumerable<Item> All() => items.Values.OrderBy(item => item.Name, StringComparer.Ordinal);

    public Item? Find(string name) => items.GetValueOrDefault(name);
}

class Till(Stock stock)
{
    public async Task<Receipt> Sell(Order order)
    {
        await Task.Yield();
        var item = stock.Find(order.Name);
        return new Receipt(order.Name, order.Count, (item?.Price ?? 0) * order.Count, new DateOnly(2026, 1, 2));
    }

    public long Sum(int n) => Enumerable.Range(1, n).Sum(i => (long)i);
}

static partial class Names
{
    [GeneratedRegex("[^a-z0-9/]+")]
    private static partial Regex Others();

    public static string Tidy(string path) => Others().Replace(path.ToLowerInvariant(), "-");
}
