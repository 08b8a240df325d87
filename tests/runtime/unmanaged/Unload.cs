// Loads a plug-in into a context of its own, lets it return objects of its own types, and unloads it, 50 times.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

static class Unload
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference Once(string path)
    {
        AssemblyLoadContext context = new AssemblyLoadContext("plug-in", true);
        context.LoadFromAssemblyPath(path).GetType("Plugin").GetMethod("Run").Invoke(null, new object[] { 40 });
        context.Unload();
        return new WeakReference(context);
    }

    static void Main(string[] arguments)
    {
        int unloaded = 0;
        for (int i = 0; i < 50; i++)
        {
            WeakReference context = Once(arguments[0]);
            for (int tries = 0; tries < 50 && context.IsAlive; tries++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            unloaded += context.IsAlive ? 0 : 1;
        }
        Console.WriteLine("unloaded " + unloaded);
    }
}
