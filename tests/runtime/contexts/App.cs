// Loads Mid.dll with the one Lib.dll or the other, as the arguments say:
//   FOLDER or FOLDER:FOLDER            for the one and the other, into a context of its own, and calls it
//   N                                  calls it again in the N-th context
//   -N                                 the N-th context goes
//   default FOLDER:FOLDER              into the program's own context, by its Resolving event
//   others FILE                        loads 400 other assemblies: this one, under as many names
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Text;

sealed class Context : AssemblyLoadContext
{
    readonly string folder;
    internal Context(string folder) : base("context", true) { this.folder = folder; }
    protected override Assembly Load(AssemblyName name)
    {
        string file = Path.Combine(folder.Substring(folder.IndexOf(':') + 1), name.Name + ".dll");
        return File.Exists(file) ? LoadFromAssemblyPath(file) : null;
    }
}

static class App
{
    static readonly List<AssemblyLoadContext> contexts = new List<AssemblyLoadContext>();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Call(AssemblyLoadContext context, string folder)
    {
        Console.WriteLine(folder);
        Assembly mid = context.LoadFromAssemblyPath(Path.Combine(folder.Split(':')[0], "Mid.dll"));
        mid.GetType("Mid").GetMethod("All").Invoke(null, null);
    }

    // A context may be held by the frame that uses it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Begin(string folder)
    {
        contexts.Add(new Context(folder));
        Call(contexts[contexts.Count - 1], folder);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Again(int number, string folder) { Call(contexts[number], folder); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference Drop(int number)
    {
        var gone = new WeakReference(contexts[number]);
        contexts[number].Unload();
        contexts[number] = null;
        return gone;
    }

    // What the runtime holds of a context goes in the collections after its own end.
    static void Unload(int number)
    {
        WeakReference gone = Drop(number);
        for (int more = 10; more > 0; more -= gone.IsAlive ? 0 : 1)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    static void LoadOthers(string file)
    {
        byte[] bytes = File.ReadAllBytes(file);
        for (int i = 0; i < 400; i++)
        {
            string other = Encoding.GetEncoding("iso-8859-1").GetString(bytes).Replace("Other000", "Other" + i.ToString("000"));
            AssemblyLoadContext.Default.LoadFromStream(new MemoryStream(Encoding.GetEncoding("iso-8859-1").GetBytes(other)));
        }
    }

    static void Main(string[] args)
    {
        var folders = new List<string>();
        for (int i = 0; i < args.Length; i++)
        {
            int number;
            if (args[i] == "default")
            {
                string folder = args[++i];
                AssemblyLoadContext.Default.Resolving += (context, name) =>
                    context.LoadFromAssemblyPath(Path.Combine(folder.Split(':')[1], name.Name + ".dll"));
                Call(AssemblyLoadContext.Default, folder);
            }
            else if (args[i] == "others")
            {
                LoadOthers(args[++i]);
            }
            else if (!int.TryParse(args[i], out number))
            {
                folders.Add(args[i]);
                Begin(args[i]);
            }
            else if (args[i][0] == '-')
            {
                Unload(-number - 1);
            }
            else
            {
                Again(number - 1, folders[number - 1]);
            }
        }
    }
}
