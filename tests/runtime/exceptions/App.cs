// Methods that exceptions leave, or do not; what they do on the way is on standard output.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

class Own : Exception
{
    public int Code;
    public Own(int code) : base("own") { Code = code; }
}

struct Large { public long A, B, C; public string D; }

class Thing
{
    public Thing(int n) { if (n < 0) { throw new Own(n); } }
    public virtual void Act(int n) { if (n > 0) { throw new Own(n); } }
    public string this[int i] { get { return (new string[1])[i]; } }
    [MethodImpl(MethodImplOptions.Synchronized)]
    public int Locked(int n) { return 10 / n; }
}

static class Fails
{
    public static int Value = Zero(0);
    static int Zero(int n) { return 1 / n; }
}

static class App
{
    static int Plain(int n) { if (n > 0) { throw new InvalidOperationException("n is " + n); } return n; }
    static void Nothing(int n) { if (n > 0) { throw new Own(n); } }
    static Large Big(int n) { if (n < 0) { throw new Own(n); } return new Large { A = n, D = n > 0 ? null : "d" }; }
    static T Same<T>(T value) { if (value == null) { throw new ArgumentNullException("value"); } return value; }
    static int Inside(int n) { try { return 10 / n; } catch (DivideByZeroException) { return -1; } finally { Console.WriteLine("inside"); } }
    static int Finally(int n) { try { return Plain(n); } finally { Console.WriteLine("finally " + n); } }
    static int Rethrow(int n) { try { return Plain(n); } catch (InvalidOperationException) { Console.WriteLine("rethrow"); throw; } }
    static int Wrap(int n) { try { return Plain(n); } catch (Exception e) { throw new Exception("wrapped", e); } }
    static int Replaced(int n) { try { return Plain(n); } finally { Nothing(n); } }
    static int Loop(int n) { while (true) { if (n-- == 0) { throw new Own(7); } } }
    static int Always() { throw new NotSupportedException(); }
    static int Deep(int n) { return n == 0 ? Plain(1) : Deep(n - 1) + 1; }
    static ref int Back(int[] a, int i) { return ref a[i]; }
    static unsafe int* At(int* p, int n) { return n > 0 ? p + Plain(n) : p; }
    static IEnumerable<int> Later(int n) { yield return 1; Plain(n); }
    static async Task<int> Async(int n) { await Task.Yield(); return Plain(n); }
    static int Condition(int n) { try { return Plain(n); } catch (InvalidOperationException e) when (Log("when " + e.Message)) { return 5; } }
    static bool Log(string s) { Console.WriteLine(s); return true; }

    static void Try(string name, Action action)
    {
        try { action(); Console.WriteLine(name + " done"); }
        catch (Exception e) { Console.WriteLine(name + " " + e.GetType()); }
    }

    static unsafe int Main(string[] args)
    {
        Try("plain 0", () => Plain(0));
        Try("plain 1", () => Plain(1));
        Try("nothing", () => Nothing(2));
        Try("nothing 0", () => Nothing(0));
        Try("big", () => Big(1));
        Try("big 0", () => Big(0));
        Try("big -1", () => Big(-1));
        Try("same", () => Same("a"));
        Try("same null", () => Same<string>(null));
        Try("inside", () => Inside(0));
        Try("finally", () => Finally(1));
        Try("finally 0", () => Finally(0));
        Try("rethrow", () => Rethrow(1));
        Try("wrap", () => Wrap(1));
        Try("replaced", () => Replaced(3));
        Try("loop", () => Loop(2));
        Try("always", () => Always());
        Try("deep", () => Deep(2));
        Try("back", () => { Back(new int[1], 0) = 1; });
        Try("back 1", () => { Back(new int[1], 1) = 1; });
        Try("at", () => { int x; At(&x, 0); At(&x, 1); });
        Try("later", () => { foreach (int i in Later(1)) { Console.WriteLine(i); } });
        Try("async", () => Async(1).Wait());
        Try("condition", () => Console.WriteLine(Condition(1)));
        Try("constructor", () => new Thing(-1));
        Try("virtual", () => new Thing(0).Act(1));
        Try("indexer", () => Console.WriteLine(new Thing(0)[1]));
        Try("locked", () => new Thing(0).Locked(0));
        Try("static", () => Console.WriteLine(Fails.Value));
        Try("reflection", () => typeof(App).GetMethod("Plain", BindingFlags.Static | BindingFlags.NonPublic).Invoke(null, new object[] { 4 }));
        if (args.Length > 0)
        {
            Plain(9); // nothing takes it
        }
        return 0;
    }
}
