// Prints for each tag what Activity.Current is where the tag is returned, passed or thrown:
//
//   TAG trace span id          "-" for what is not there; the id in base64, of UTF-8
//
// The lines that the profiler writes have the tags, too (compare.py).
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

class Derived : Activity
{
    public Derived(string name) : base(name) { }
}

class Oops : Exception
{
    public Oops(string tag) : base(tag) { }
}

static class Expected
{
    static readonly StringBuilder text = new StringBuilder();

    static void Add(string tag, string trace, string span, string id)
    {
        string coded = id == null ? "-" : Convert.ToBase64String(Encoding.UTF8.GetBytes(id));
        lock (text) { text.Append(tag).Append(' ').Append(trace ?? "-").Append(' ').Append(span ?? "-").Append(' ').Append(coded).Append('\n'); }
    }

    public static void None(string tag) => Add(tag, null, null, null);

    public static void Current(string tag)
    {
        Activity now = Activity.Current;
        if (now == null) { Add(tag, null, null, null); }
        else if (now.IdFormat == ActivityIdFormat.W3C) { Add(tag, now.TraceId.ToHexString(), now.SpanId.ToHexString(), null); }
        else { Add(tag, null, null, now.Id); }
    }

    public static void Print() { lock (text) { Console.Out.Write(text.ToString()); text.Clear(); } }
}

static class App
{
    static int count;
    static string Next(string what) => what + "#" + Interlocked.Increment(ref count);

    // ---- what is inspected ----

    // Without System.Diagnostics.DiagnosticSource.
    [MethodImpl(MethodImplOptions.NoInlining)] static string Bare(string tag) { Expected.None(tag); return tag; }

    static string Value(string tag) { Expected.Current(tag); return tag; }
    static object Boxed(string tag) { Expected.Current(tag); return tag; }
    static T Any<T>(T tag) { Expected.Current((string)(object)tag); return tag; }
    static KeyValuePair<string, long> Pair(string tag) { Expected.Current(tag); return new KeyValuePair<string, long>(tag, 1); }
    static void Nothing(string tag) { Expected.Current(tag); }
    static string Fails(string tag) { Expected.Current(tag); throw new Oops(tag); }

    // What is thrown has the activity that was current there, in all methods that it leaves.
    static string FailsWithin(string tag)
    {
        using var inner = Start("inner");
        return Fails(tag);
    }

    static async Task<string> Later(string tag)
    {
        await Task.Yield();
        string changed = Value(Next("in-later"));
        using (Start("within")) { await Task.Delay(1); Value(Next("within-later")); }
        Expected.Current(tag);
        return tag;
    }

    static async Task<string> FailsLater(string tag)
    {
        await Task.Yield();
        Expected.Current(tag);
        throw new Oops(tag);
    }

    static IEnumerable<string> Each(string tag)
    {
        for (int i = 0; i < 2; i++) { string one = tag + "/" + i; Expected.Current(one); yield return one; }
    }

    // ---- where ----

    static Activity Start(string name, ActivityIdFormat format = ActivityIdFormat.W3C)
    {
        var activity = new Activity(name);
        if (Activity.Current == null) { activity.SetIdFormat(format); }
        return activity.Start();
    }

    static void Caught(Action action) { try { action(); } catch (Oops) { } }

    static void All(string where)
    {
        Value(Next(where)); Boxed(Next(where)); Any(Next(where)); Pair(Next(where)); Nothing(Next(where));
        Caught(() => Fails(Next(where)));
        Caught(() => FailsWithin(Next(where)));
        foreach (string one in Each(Next(where))) { }
    }

    static async Task AllAsync(string where)
    {
        All(where);
        await Later(Next(where + "/later"));
        try { await FailsLater(Next(where + "/fails")); } catch (Oops) { }
        await Task.Run(() => All(where + "/pool"));
        var thread = new Thread(() => All(where + "/thread"));
        thread.Start();
        thread.Join();
        var unsafely = new Thread(() => All(where + "/unsafe"));
        unsafely.UnsafeStart();
        unsafely.Join();
        Task suppressed;
        using (ExecutionContext.SuppressFlow())
        {
            All(where + "/suppressing");
            suppressed = Task.Run(() => All(where + "/suppressed"));
        }
        await suppressed;
    }

    static readonly List<AsyncLocal<object>> locals = new List<AsyncLocal<object>>();

    // So many others, before and after the activity; with some that report their changes, which stay when they are null.
    static void Beside(int count, bool before)
    {
        for (int i = 0; i < count && before; i++) { Set(i); }
        using (Start("beside"))
        {
            for (int i = 0; i < count && !before; i++) { Set(i); }
            Value(Next("beside-" + count));
            for (int i = 0; i < count; i++) { locals[i].Value = null; }
            Value(Next("beside-none-" + count));
        }
        Value(Next("beside-after-" + count));
    }

    static void Set(int i)
    {
        while (locals.Count <= i) { locals.Add(locals.Count % 3 == 0 ? new AsyncLocal<object>(_ => { }) : new AsyncLocal<object>()); }
        locals[i].Value = i % 2 == 0 ? i : (object)("text " + i);
    }

    static readonly AsyncLocal<Activity> own = new AsyncLocal<Activity>();
    static readonly AsyncLocal<object> other = new AsyncLocal<object>();

    // The program's own locals are not what is current.
    static void Own(string where)
    {
        var kept = new Activity("kept").SetIdFormat(ActivityIdFormat.W3C).Start();
        kept.Stop();
        own.Value = kept;
        other.Value = kept;
        Value(Next(where + "/alone"));
        using (Start("current"))
        {
            Value(Next(where + "/both"));
            own.Value = Activity.Current;
            Value(Next(where + "/same"));
            Activity.Current = null;
            Value(Next(where + "/cleared"));
        }
        own.Value = null;
        other.Value = null;
        Value(Next(where + "/none"));
    }

    // Before anything has used the class: no static field of it is there yet.
    [MethodImpl(MethodImplOptions.NoInlining)] static void Early()
    {
        own.Value = (Activity)RuntimeHelpers.GetUninitializedObject(typeof(Activity));
        Bare("early-own");
        own.Value = null;
    }

    static void Hierarchical()
    {
        foreach (string parent in new[] { null, "|root.1.", "a\"b\\c\n\u00e9\u20ac\ud83d\ude00\u2028<", "\ud800x", new string('x', 900), "00-not-a-trace-01" })
        {
            var activity = new Activity("h").SetIdFormat(ActivityIdFormat.Hierarchical);
            if (parent != null) { activity.SetParentId(parent); }
            activity.Start();
            All("hierarchical");
            using (Start("nested")) { All("hierarchical/nested"); }
            activity.Stop();
        }
    }

    static void Parents()
    {
        var activity = new Activity("w3c").SetParentId("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").Start();
        All("parent");
        string id = activity.Id;
        All("parent/" + (id.Length == 55));
        activity.Stop();
        var derived = new Derived("derived");
        derived.SetIdFormat(ActivityIdFormat.W3C);
        derived.Start();
        All("derived");
        derived.Stop();
        using (var source = new ActivitySource("App"))
        using (var listener = new ActivityListener { ShouldListenTo = _ => true, Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData })
        {
            ActivitySource.AddActivityListener(listener);
            using (source.StartActivity("sampled", ActivityKind.Server)) { All("source"); }
        }
    }

    static async Task Work()
    {
        await AllAsync("none");
        using (Start("outer"))
        {
            await AllAsync("outer");
            using (Start("inner")) { await AllAsync("inner"); }
            All("outer-again");
        }
        All("after");
        Hierarchical();
        Parents();
        for (int i = 0; i <= 20; i++) { Beside(i, true); Beside(i, false); }
        Own("own");
        using (Start("outer")) { Own("own-within"); }
    }

    // Objects move while their fields are read, unless that is prevented.
    static void Collecting(int rounds)
    {
        bool done = false;
        var garbage = new Thread(() => { while (!Volatile.Read(ref done)) { var list = new List<object>(); for (int i = 0; i < 1000; i++) { list.Add(new byte[i]); } GC.Collect(0); } });
        garbage.Start();
        Parallel.For(0, 4, worker =>
        {
            for (int i = 0; i < rounds; i++)
            {
                for (int j = 0; j < worker * 6; j++) { if (locals.Count > j) { locals[j].Value = new object(); } }
                using (Start("round")) { Value(Next("moved")); using (Start("nested")) { Any(Next("moved")); Pair(Next("moved")); } }
                Value(Next("moved-none"));
            }
        });
        Volatile.Write(ref done, true);
        garbage.Join();
    }

    static void Many()
    {
        for (int i = 0; i < 2000; i++) { new AsyncLocal<object>().Value = i; }
        using (Start("many")) { Value(Next("many")); }
    }

    static int Main(string[] arguments)
    {
        Bare("bare");
        Early();
        foreach (string argument in arguments)
        {
            switch (argument)
            {
                case "bare": break;
                case "many": Many(); break;
                case "collect": for (int i = 0; i < 20; i++) { Set(i); } Collecting(400); break;
                case "wait": Console.WriteLine("ready"); Console.In.ReadLine(); Expected.Print(); break;
                default: Work().Wait(); break;
            }
        }
        Expected.Print();
        return 0;
    }
}
