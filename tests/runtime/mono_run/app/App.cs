// What an application does on Mono that finds assemblies: references, plug-ins, bytes, texts of a language, a second domain; and what
// methods return. Its output has all that must not change: where it is, its arguments, its environment.

using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Resources;
using System.Threading;
using System.Threading.Tasks;

public struct Bytes1 { public byte A; }
public struct Bytes3 { public byte A, B, C; }
public struct Bytes8 { public int A, B; }
public struct Bytes12 { public int A, B, C; }
public struct Single1 { public float A; }
public struct Double1 { public double A; }
public struct Bytes40 { public long A, B, C, D, E; }

public class Box<T>
{
    public T Same(T value) { return value; }
    public U Map<U>(Func<T, U> map, T value) { return map(value); }
}

static class App
{
    static Bytes1 One() { return new Bytes1 { A = 1 }; }
    static Bytes3 Three() { return new Bytes3 { A = 1, B = 2, C = 3 }; }
    static Bytes8 Eight() { return new Bytes8 { A = 1, B = 2 }; }
    static Bytes12 Twelve() { return new Bytes12 { A = 1, B = 2, C = 3 }; }
    static Single1 Single() { return new Single1 { A = 1.5f }; }
    static Double1 Double() { return new Double1 { A = 2.5 }; }
    static Bytes40 Forty() { return new Bytes40 { A = 1, E = 5 }; }
    static double Real() { return 1.25; }
    static float Short() { return 0.5f; }
    static decimal Price() { return 1.10m; }
    static long Long() { return 1L << 40; }
    static int Throws(int number) { throw new InvalidOperationException("no " + number); }

    static IEnumerable<int> Numbers() { yield return 1; yield return 2; }
    static async Task<int> Later(int number) { await Task.Delay(1); return 2 * number; }

    static object Call(Assembly assembly, string type, object argument)
    {
        return assembly.GetType(type).GetMethod("Run").Invoke(null, new[] { argument });
    }

    static void InDomain()
    {
        Console.WriteLine(AppDomain.CurrentDomain.FriendlyName + " " + Eight().B + new Lib.Greeter().Hello("again"));
    }

    static int Main(string[] args)
    {
        string folder = AppDomain.CurrentDomain.BaseDirectory;
        if (args.Length != 0 && args[0] == "exit")
        {
            Environment.Exit((int)Long().GetTypeCode());
        }
        if (args.Length != 0 && args[0] == "throw")
        {
            return Throws(3);
        }
        Console.WriteLine("{0} {1} {2} {3}", typeof(App).Assembly.Location, folder, string.Join(" ", Environment.GetCommandLineArgs()),
            Environment.GetEnvironmentVariable("LD_LIBRARY_PATH") + "," + Environment.GetEnvironmentVariable("MONO_ENV_OPTIONS"));
        Console.WriteLine("{0} {1} {2} {3} {4} {5} {6}", One().A, Three().C, Eight().B, Twelve().C, Single().A, Double().A, Forty().E);
        Console.WriteLine("{0} {1} {2} {3}", Real(), Short(), Price(), Long());
        Console.WriteLine(new Box<string>().Same("x") + new Box<int>().Same(7) + new Box<string>().Map(text => text.Length, "abc"));
        foreach (int number in Numbers())
        {
            Console.WriteLine(number);
        }
        Console.WriteLine(Later(21).Result);
        Console.WriteLine(new Lib.Greeter().Hello("reference"));
        Console.WriteLine(Call(Assembly.LoadFrom(Path.Combine(folder, "plug/Plug.dll")), "Plug", 4));
        Console.WriteLine(Call(Assembly.Load(File.ReadAllBytes(Path.Combine(folder, "plug/Raw.dll"))), "Raw", 5));
        Thread.CurrentThread.CurrentUICulture = new System.Globalization.CultureInfo("de");
        Console.WriteLine(new ResourceManager("Words", typeof(App).Assembly).GetString("yes"));
        AppDomain domain = AppDomain.CreateDomain("second");
        domain.DoCallBack(InDomain);
        AppDomain.Unload(domain);
        try
        {
            Throws(4);
        }
        catch (InvalidOperationException e)
        {
            Console.WriteLine(e.Message);
            Console.WriteLine(e.StackTrace);
        }
        return 3;
    }
}
