// The inspector's test program; its first argument says what to do. It never writes to standard
// error itself: what arrives there is the inspector's.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using MyProfiler;

class Thrower
{
    public override string ToString() { throw new InvalidOperationException("do not\nprint"); }
}

class Talker
{
    readonly string text;
    public Talker(string text) { this.text = text; }
    public override string ToString() { return text; }
}

// As a patched ToString would: it comes back into the inspector.
class Nested
{
    public override string ToString()
    {
        Helper.MyInspector("inner", "Nested::ToString");
        return "outer";
    }
}

class Person
{
    public string Name;
    public int Age;
}

struct NestedHolder
{
    public Nested Inner;
    public int After;
}

#if !NET
class Remote : MarshalByRefObject
{
    public int Port = 80;
}
#endif

static class Program
{
    const int Threads = 8, Lines = 5000;

    static int Main(string[] args)
    {
        switch (args[0])
        {
            case "values": HostileCulture(); Values.All(); return 0;
#if NET
            case "unload": return Unload(args[1]);
            case "newer": HostileCulture(); Newer.All(); return 0;
#endif
            case "tostring": ToStrings(); return 0;
            case "threads": return ManyThreads();
            case "floats": Floats(); return 0;
            case "count": for (int i = 0; i < 100; i++) { Helper.MyInspector(i, "M"); } return 0;
            case "one": Helper.MyInspector(1, "M"); Helper.MyInspector(2, "M"); return 0;
            case "directory": return ChangedDirectory();
            case "pid": Helper.MyInspector(1, "M"); Console.WriteLine(System.Diagnostics.Process.GetCurrentProcess().Id); return 0;
            case "copies": return Copies(args[1]);
            case "traces": return Traces();
            case "signals": return Signals();
            case "changing": return Changing();
#if !NET
            case "domains": return Domains();
#endif
            case "stack": return DeepStack();
            case "shape": return Shape();
            case "time": return Time();
            default: return 2;
        }
    }

    // Signs, separators and names that would show if anything used the current culture.
    static void HostileCulture()
    {
        CultureInfo culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NegativeSign = "~";
        culture.NumberFormat.NumberDecimalSeparator = "_";
        culture.NumberFormat.NaNSymbol = "nix";
        culture.NumberFormat.PositiveInfinitySymbol = "viel";
        culture.DateTimeFormat.DateSeparator = "|";
        culture.DateTimeFormat.TimeSeparator = "|";
        Thread.CurrentThread.CurrentCulture = culture;
        Thread.CurrentThread.CurrentUICulture = culture;
    }

    static void ToStrings()
    {
        Helper.MyInspector(new Talker("hello \"you\"\n"), "M");
        Helper.MyInspector(new Talker(null), "M");
        Helper.MyInspector(new Talker(new string('z', 100000)), "M");
        Helper.MyInspector(new Thrower(), "M");
        Helper.MyInspector(new Nested(), "M");
        Helper.MyInspector(new NestedHolder { Inner = new Nested(), After = 1 }, "M");
        Helper.MyInspector(new Pair<Thrower, int> { First = new Thrower(), Second = 2 }, "M");
        Helper.MyInspector(new LoudStruct(), "M");
        Helper.MyInspector(new Point(1, 2), "M");
        Helper.MyInspector(new Precise(), "M");
        Helper.MyInspector(new object(), "M");
        Helper.MyInspector(new List<int>(), "M");
        Helper.MyInspector(new Version(1, 2), "M");
        Helper.MyInspector(Color.Red, "M");
        Helper.MyInspector(1.5, "M");
    }

    // All threads start at once, so that they also meet in the inspector's first call.
    static int ManyThreads()
    {
        ManualResetEvent start = new ManualResetEvent(false);
        Thread[] threads = new Thread[Threads];
        for (int t = 0; t < Threads; t++)
        {
            int number = t;
            threads[t] = new Thread(delegate()
            {
                start.WaitOne();
                string filler = new string((char)('a' + number), number * 20);
                for (int i = 0; i < Lines; i++)
                {
                    Helper.MyInspector(filler, "T" + number + "::L" + i);
                }
            });
            threads[t].Start();
        }
        start.Set();
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        return 0;
    }

    // The same pseudo-random bits on each runtime; standard output has what the runtime's own "R"
    // gives, for comparison on .NET 10 (other versions lay it out otherwise). At some powers of two
    // that text of .NET 10 is read back as the number below: then "G17" is used instead.
    static void Floats()
    {
        ulong state = 88172645463325252;
        TextWriter reference = new StreamWriter(Console.OpenStandardOutput());
        for (int i = 0; i < 40000; i++)
        {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            long bits = (long)state;
            switch (i % 8)
            {
                case 5: bits &= 0x7ff0000000000000; break;                      // powers of two
                case 6: bits = BitConverter.DoubleToInt64Bits((long)(state % 1000000) / 1000.0); break;
                case 7: bits &= 0x000fffffffffffff; break;                      // subnormal
            }
            double d = BitConverter.Int64BitsToDouble(bits);
            float f = BitConverter.ToSingle(BitConverter.GetBytes((int)bits), 0);
            Helper.MyInspector(d);
            Helper.MyInspector(f);
            string text = d.ToString("R", CultureInfo.InvariantCulture);
            if (double.Parse(text, CultureInfo.InvariantCulture) != d)
            {
                text = d.ToString("G17", CultureInfo.InvariantCulture);
            }
            reference.Write(text + " (System.Double)\n");
            reference.Write(f.ToString("R", CultureInfo.InvariantCulture) + " (System.Single)\n");
        }
        reference.Flush();
    }

    // A second copy of the inspector, as an assembly with an embedded one has: both write to one file.
    static int Copies(string file)
    {
        Assembly second = Assembly.Load(File.ReadAllBytes(file));
        if (second == typeof(Helper).Assembly)
        {
            return 3;
        }
        MethodInfo method = second.GetType("MyProfiler.Helper")
                                  .GetMethod("MyInspector", new Type[] { typeof(object), typeof(string) });
        Action<object, string> other =
            (Action<object, string>)Delegate.CreateDelegate(typeof(Action<object, string>), method);
        Thread a = new Thread(delegate() { for (int i = 0; i < Lines; i++) { Helper.MyInspector(i, "A"); } });
        Thread b = new Thread(delegate() { for (int i = 0; i < Lines; i++) { other(i, "B"); } });
        a.Start(); b.Start(); a.Join(); b.Join();
        return 0;
    }

#if NET
    // What is known of a type does not keep it: its assembly can be unloaded.
    static int Unload(string file)
    {
        WeakReference context = ShowPlugIn(file);
        for (int i = 0; i < 20 && context.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Console.WriteLine(context.IsAlive ? "still there" : "unloaded");
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference ShowPlugIn(string file)
    {
        System.Runtime.Loader.AssemblyLoadContext context = new System.Runtime.Loader.AssemblyLoadContext("plug-in", true);
        Type type = context.LoadFromAssemblyPath(file).GetType("Samples.Person");
        object person = Activator.CreateInstance(type);
        Helper.MyInspector(person, "M");
        Array people = Array.CreateInstance(type, 1);
        people.SetValue(person, 0);
        Helper.MyInspector(people, "M");
        Helper.MyInspector(Activator.CreateInstance(typeof(List<>).MakeGenericType(type)), "M");
        context.Unload();
        return new WeakReference(context);
    }
#endif

    // The second thread opens the file when a relative name would lead elsewhere.
    static int ChangedDirectory()
    {
        Helper.MyInspector(1, "M");
        Directory.SetCurrentDirectory("/");
        Thread thread = new Thread(delegate() { Helper.MyInspector(2, "M"); });
        thread.Start();
        thread.Join();
        return 0;
    }

    [DllImport("libc", SetLastError = true)]
    static extern int close(int descriptor);

    // Nothing that the program could find out about itself has changed afterwards.
    static int Traces()
    {
        close(-1);
        int error = Marshal.GetLastWin32Error();
        Helper.MyInspector(error, "M");
        int after = Marshal.GetLastWin32Error();
        if (error == 0 || after != error)
        {
            Console.WriteLine("last error " + error + " became " + after);
            return 1;
        }
        Thread.CurrentThread.Interrupt();
        Helper.MyInspector(error, "M");
        try
        {
            Thread.Sleep(10);
            Console.WriteLine("the interrupt was lost");
            return 1;
        }
        catch (ThreadInterruptedException)
        {
        }
        return 0;
    }

    // Collections that another thread changes meanwhile.
    static int Changing()
    {
        bool stop = false;
        List<string> list = new List<string>();
        Dictionary<int, string> dictionary = new Dictionary<int, string>();
        Queue<int> queue = new Queue<int>();
        HashSet<int> hashSet = new HashSet<int>();
        Thread thread = new Thread(delegate()
        {
            for (int i = 0; !Volatile.Read(ref stop); i++)
            {
                list.Add("text");
                dictionary[i % 37] = "value";
                dictionary.Remove(i * 7 % 37);
                queue.Enqueue(i);
                hashSet.Add(i % 29);
                hashSet.Remove(i * 5 % 29);
                if (i % 100 == 0)
                {
                    list.Clear();
                    list.TrimExcess();
                    dictionary.Clear();
                    queue.Clear();
                    queue.TrimExcess();
                    hashSet.Clear();
                }
            }
        });
        thread.Start();
        for (int i = 0; i < Lines; i++)
        {
            Helper.MyInspector(list);
            Helper.MyInspector(dictionary);
            Helper.MyInspector(queue);
            Helper.MyInspector(hashSet);
        }
        stop = true;
        thread.Join();
        return 0;
    }

    // Setting up the console would show here, as it handles interrupt, quit and continue.
    static int Signals()
    {
        string before = CaughtSignals();
        Helper.MyInspector(1, "M");
        string after = CaughtSignals();
        Console.WriteLine(after == before ? "same" : before + " became " + after);
        return 0;
    }

    static string CaughtSignals()
    {
        foreach (string line in File.ReadAllLines("/proc/self/status"))
        {
            if (line.StartsWith("SigCgt:", StringComparison.Ordinal))
            {
                return line;
            }
        }
        return "";
    }

#if !NET
    static int Domains()
    {
        AppDomain other = AppDomain.CreateDomain("other");
        Helper.MyInspector(1, "M");
        other.DoCallBack(InOtherDomain);
        Helper.MyInspector(2, "M");
        // Its field would be read in the other domain.
        Helper.MyInspector(other.CreateInstanceAndUnwrap(typeof(Remote).Assembly.FullName, "Remote"), "M");
        return 0;
    }

    static void InOtherDomain()
    {
        Helper.MyInspector("other", "M");
    }
#endif

    static int DeepStack()
    {
        Thread thread = new Thread(delegate() { Descend(0); }, 512 * 1024);
        thread.Start();
        thread.Join();
        Helper.MyInspector("alive");
        return 0;
    }

    static int Descend(int depth)
    {
        try
        {
            RuntimeHelpers.EnsureSufficientExecutionStack();
        }
        catch (InsufficientExecutionStackException)
        {
            Helper.MyInspector(new Mixed(), "M");
            return depth;
        }
        return Descend(depth + 1) + 1;
    }

    static int Shape()
    {
        Assembly inspector = typeof(Helper).Assembly;
        foreach (AssemblyName name in inspector.GetReferencedAssemblies())
        {
            Console.WriteLine("reference " + name.FullName);
        }
        foreach (Type type in inspector.GetTypes())
        {
            if (type.TypeInitializer != null)
            {
                Console.WriteLine("static constructor in " + type);
            }
        }
        foreach (Type type in inspector.GetExportedTypes())
        {
            Console.WriteLine("public " + type);
        }
        Console.WriteLine(inspector.FullName);
        return 0;
    }

    // No test: what a value costs, for the README. Time of processors, so that others on the machine matter less.
    static int Time()
    {
        object[] values =
        {
            5, "some text of thirty characters", 0.1, Color.Blue, new Point(1, 2), new object(),
            new Person { Name = "x", Age = 3 }, new List<int> { 1, 2, 3 }, new Dictionary<string, int> { { "a", 1 }, { "b", 2 } }
        };
        foreach (object value in values)
        {
            const int Times = 200000;
            for (int i = 0; i < 20000; i++) { Helper.MyInspector(value, "Namespace.Type::Method"); }
            TimeSpan start = System.Diagnostics.Process.GetCurrentProcess().TotalProcessorTime;
            for (int i = 0; i < Times; i++) { Helper.MyInspector(value, "Namespace.Type::Method"); }
            TimeSpan taken = System.Diagnostics.Process.GetCurrentProcess().TotalProcessorTime - start;
            double us = taken.TotalMilliseconds * 1000 / Times;
            Console.WriteLine("{0,-28} {1:0.00} us", value.GetType(), us);
        }
        return 0;
    }
}
