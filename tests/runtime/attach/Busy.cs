// Threads that call, and a collectible context that is loaded and unloaded, all the time.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

public static class Busy
{
    static volatile bool over;

    static T Same<T>(T value) => value;
    static string Text(int value) => "text " + Same(value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Round(int number)
    {
        if (Text(number) != "text " + number || Same("a") != "a" || Same(1.5) != 1.5)
            throw new Exception("wrong");
        Thread.Sleep(1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Context()
    {
        var context = new AssemblyLoadContext("passing", true);
        var later = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "Later.dll"));
        if (later.GetType("Later")!.GetMethod("Answer")!.Invoke(null, new object[] { 2 }) is not 5)
            throw new Exception("wrong");
        context.Unload();
        GC.Collect();
    }

    static void Main()
    {
        var threads = Enumerable.Range(0, 6).Select(number => new Thread(() => { while (!over) Round(number); })).ToList();
        threads.Add(new Thread(() => { while (!over) Context(); }));
        threads.ForEach(thread => thread.Start());
        Thread.Sleep(500);
        Console.WriteLine("ready");
        Console.ReadLine();
        Thread.Sleep(700);
        over = true;
        threads.ForEach(thread => thread.Join());
        Console.WriteLine("over");
    }
}
