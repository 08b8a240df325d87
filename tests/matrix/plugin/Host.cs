// Loads plug-ins from subfolders, each into a context of its own, as hosts of plug-ins do, and takes a text from a satellite assembly.
using System;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Resources;
using System.Runtime.Loader;

static class Program
{
    static void Main()
    {
        Console.ReadLine();
        var texts = new ResourceManager("Texts", typeof(Program).Assembly);
        Console.WriteLine(texts.GetString("Greeting", new CultureInfo("de")));
        string path = Path.Combine(AppContext.BaseDirectory, "plugins", "one", "Plugin.dll");
        var context = new AssemblyLoadContext("one");
        var resolver = new AssemblyDependencyResolver(path);
        context.Resolving += (_, name) =>
            resolver.ResolveAssemblyToPath(name) is { } found ? context.LoadFromAssemblyPath(found) : null;
        Assembly plugin = context.LoadFromAssemblyPath(path);
        plugin.GetType("Cell.Values").GetMethod("Check").Invoke(null, null);
        Console.WriteLine("done");
        Environment.ExitCode = 7;
    }
}
