// A web service as many are: routes, and JSON of records. /orders/ID shows an order with all its lines, /totals/ID what has to be paid.
using System;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

public static class Program
{
    public static void Main(string[] arguments)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddSingleton<Repository>().AddSingleton<Prices>().AddSingleton<Mapper>();
        var app = builder.Build();
        app.MapGet("/orders/{id:int}", async (int id, Repository repository, Mapper mapper) =>
        {
            Order order = await repository.FindAsync(id);
            return order is null ? Microsoft.AspNetCore.Http.Results.NotFound() : Microsoft.AspNetCore.Http.Results.Json(mapper.Map(order));
        });
        app.MapGet("/totals/{id:int}", (int id, Repository repository, Prices prices) =>
        {
            Order order = repository.Find(id);
            return order is null ? Microsoft.AspNetCore.Http.Results.NotFound() : Microsoft.AspNetCore.Http.Results.Json(prices.ToPay(order));
        });
        app.Urls.Add("http://127.0.0.1:" + arguments[0]);
        app.Start();
        Console.WriteLine("listening");
        app.WaitForShutdown();
    }
}
