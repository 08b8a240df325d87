// What a process does besides running methods: threads that start at once, assemblies that come and go, two of one name,
// code made at run time, a hot loop, processes of its own. Exit code 42.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

static class Host
{
    struct Cell<T> { public T Value; public long Stamp; }

    static Cell<T> Wrap<T>(T value, long stamp) { return new Cell<T> { Value = value, Stamp = stamp }; }

    static int Odd(int i) { return i & 1; }

    static int Slot(int i) { return i * 3; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference LoadPlugin(string file)
    {
        var context = new AssemblyLoadContext("plugin", true);
        Assembly plugin = context.LoadFromAssemblyPath(file);
        Console.WriteLine(plugin.GetType("Plugin").GetMethod("Answer").Invoke(null, new object[] { 2 }));
        context.Unload();
        return new WeakReference(context);
    }

    static void LoadAndUnload(string file)
    {
        for (int round = 0; round < 3; round++)
        {
            WeakReference gone = LoadPlugin(file);
            for (int i = 0; i < 20 && gone.IsAlive; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            Console.WriteLine(gone.IsAlive ? "still there" : "unloaded");
        }
    }

    static void TwoOfOneName(string one, string other)
    {
        foreach (string file in new[] { one, other })
        {
            var context = new AssemblyLoadContext(file);
            Console.WriteLine(context.LoadFromAssemblyPath(file).GetType("Plugin").GetMethod("Answer")
                .Invoke(null, new object[] { 5 }));
        }
    }

    static void FromBytes(string file)
    {
        Assembly plugin = Assembly.Load(File.ReadAllBytes(file));
        Console.WriteLine(plugin.GetType("Plugin").GetMethod("Answer").Invoke(null, new object[] { 7 }));
    }

    static void MadeAtRunTime()
    {
        AssemblyBuilder made = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Made"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = made.DefineDynamicModule("Made").DefineType("T", TypeAttributes.Public);
        ILGenerator il = type.DefineMethod("Seven", MethodAttributes.Public | MethodAttributes.Static, typeof(int), Type.EmptyTypes)
            .GetILGenerator();
        il.Emit(OpCodes.Ldc_I4_7);
        il.Emit(OpCodes.Ret);
        Console.WriteLine(type.CreateType().GetMethod("Seven").Invoke(null, null));
        var light = new DynamicMethod("Light", typeof(int), Type.EmptyTypes);
        light.GetILGenerator().Emit(OpCodes.Ldc_I4_8);
        light.GetILGenerator().Emit(OpCodes.Ret);
        Console.WriteLine(((Func<int>)light.CreateDelegate(typeof(Func<int>)))());
    }

    // All at once through the same methods, which none of them has run before.
    static int Threads()
    {
        var start = new ManualResetEventSlim();
        var threads = new List<Thread>();
        int sum = 0;
        for (int i = 0; i < 16; i++)
        {
            int number = i;
            var thread = new Thread(() =>
            {
                start.Wait();
                Interlocked.Add(ref sum, Slot(number) + Wrap((long)number, 1).Value.GetHashCode() + Wrap("s", number).Value.Length);
            });
            thread.Start();
            threads.Add(thread);
        }
        start.Set();
        threads.ForEach(t => t.Join());
        return sum;
    }

    // Long enough for on-stack replacement.
    static int Loop()
    {
        int odd = 0;
        for (int i = 0; i < 200000; i++)
        {
            odd += Odd(i);
        }
        return odd;
    }

    static int Main(string[] arguments)
    {
        string here = AppContext.BaseDirectory;
        if (arguments.Length != 0)
        {
            Console.WriteLine("child " + Odd(3));
            return 0;
        }
        Console.WriteLine(Threads());
        Console.WriteLine(Loop());
        LoadAndUnload(Path.Combine(here, "plugins/one/Plugin.dll"));
        TwoOfOneName(Path.Combine(here, "plugins/one/Plugin.dll"), Path.Combine(here, "plugins/two/Plugin.dll"));
        FromBytes(Path.Combine(here, "plugins/two/Plugin.dll"));
        MadeAtRunTime();
        using (Process child = Process.Start(new ProcessStartInfo(Environment.ProcessPath)
            { ArgumentList = { "exec", Path.Combine(here, "Host.dll"), "child" } }))
        {
            child.WaitForExit();
        }
        return 42;
    }
}
