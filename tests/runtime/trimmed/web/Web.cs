// A service that answers until its standard input ends. It prints the address that it has got.

using System;
using System.Linq;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions { Args = args });
builder.WebHost.UseKestrelCore();
builder.Services.AddRoutingCore();
var app = builder.Build();
app.MapGet("/price/{n}", Shop.Price);
app.Urls.Add("http://127.0.0.1:0");
await app.StartAsync();
Console.WriteLine(app.Urls.First());
Console.In.ReadToEnd();
await app.StopAsync();
return 3;

static class Shop
{
    public static string Price(int n) => Total(n).ToString(CultureInfo.InvariantCulture);
    static decimal Total(int n) => n * 1.5m;
}
