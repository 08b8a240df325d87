// Methods of which some get a body that the JIT does not take: what each call comes to, by itself and from other threads.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

public static class Broken
{
    [MethodImpl(MethodImplOptions.NoInlining)] public static int Plain(int x) => x + 1;
    [MethodImpl(MethodImplOptions.NoInlining)] public static int Good(int x) => x + 2;
    [MethodImpl(MethodImplOptions.NoInlining)] public static T Generic<T>(T x) => x;
    [MethodImpl(MethodImplOptions.NoInlining)] public static int Branches(int x) { if (x > 2) return 3; return x < 0 ? -1 : 0; }
    [MethodImpl(MethodImplOptions.NoInlining)] public static int Outer(int x) => Within.Value + Plain(x);
    static class Within { public static readonly int Value = Branches(5); } // runs while Outer is compiled, or when it is called

    static readonly Func<object>[] calls = { () => Plain(1), () => Good(1), () => Generic(7), () => Generic("s"), () => Branches(9), () => Outer(1) };

    static string Try(Func<object> call)
    {
        try { return call().ToString(); }
        catch (InvalidProgramException) { return "invalid"; }
        catch (TypeInitializationException) { return "initialiser"; }
    }

    static void Calls(string when)
    {
        string line = when;
        foreach (var call in calls)
            line += " " + Try(call);
        Console.WriteLine(line);
    }

    public static void Main(string[] arguments)
    {
        if (arguments.Length > 0) // the profiler comes to it
        {
            Calls("before");
            Console.WriteLine("ready");
            Console.ReadLine();
            if (arguments[0] == "once") // there is no second call until it says so
            {
                Console.WriteLine("first " + Try(calls[0]));
                Console.WriteLine("ready");
                Console.ReadLine();
                Console.WriteLine("then " + Try(calls[0]));
                return;
            }
            Calls("first");
            Calls("second"); // at the latest the method's old code is back when this call has failed
        }
        else
        {
            Calls("first");
        }
        Calls("then");
        Calls("then");
        string other = null;
        var thread = new Thread(() => other = Try(calls[0]));
        thread.Start();
        thread.Join();
        Console.WriteLine("thread " + other);
    }
}
