// A service on ASP.NET Core, which takes the trace of a request over from its header. Prints where it listens, and ends with its input.
using System;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

static class Web
{
    static string Hello(string name) => "Hello " + name;

    static async Task<string> HelloLater(string name)
    {
        await Task.Delay(1);
        return Hello(name + "!");
    }

    static async Task Main()
    {
        var builder = WebApplication.CreateBuilder();
        // Without a logger or a tracer, the server makes no activity. Standard output is ours.
        builder.Logging.ClearProviders().AddConsole(options => options.LogToStandardErrorThreshold = LogLevel.Trace);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var app = builder.Build();
        app.MapGet("/hello/{name}", (string name) => HelloLater(name));
        await app.StartAsync();
        Console.WriteLine(app.Urls.First());
        await Task.Run(Console.In.ReadLine);
        await app.StopAsync();
    }
}
