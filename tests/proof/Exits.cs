// Methods that do not simply return a value: where a leave hook does not come, or is shown something else. Each prints
// `name size truth seen` as the generated program does, or that there is no value. RUNTIME_ASYNC is for methods that the
// runtime suspends itself.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

class Returns
{
#if !RUNTIME_ASYNC
    public static int inlined(int value) { return value + 1; }
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static double inlined_always(double value) { return value * 2; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int call_at_end(int value) { return Others.Next(value); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int call_at_end_by_interface(INext next, int value) { return next.Next(value); }
    [DllImport("libc", EntryPoint = "abs")]
    public static extern int native(int value);
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int thrown(int value) { throw new InvalidOperationException(); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async Task<int> async_at_once(int value) { await Task.CompletedTask; return value + 1; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async Task<int> async_later(int value) { await Task.Yield(); return value + 1; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static IEnumerable<int> iterator(int value) { yield return value; yield return value + 1; }
#else
    public static async Task<int> runtime_async_at_once(int value) { await Task.CompletedTask; return value + 1; }
    public static async Task<int> runtime_async_later(int value) { await Task.Yield(); return value + 1; }
#endif
}

interface INext { int Next(int value); }

class Others : INext
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Next(int value) { return value + 1; }
    int INext.Next(int value) { return value + 1; }
}

static class Program
{
    static string Hex(byte[] bytes)
    {
        string text = bytes.Length + " ";
        foreach (byte b in bytes) text += b.ToString("x2");
        return text;
    }

    static void Tell(string name, int truth, int seen) { Console.WriteLine(name + " " + Hex(BitConverter.GetBytes(truth)) + Hex(BitConverter.GetBytes(seen)).Substring(1)); }

    static int Main()
    {
#if !RUNTIME_ASYNC
        Tell("inlined", 42, Returns.inlined(41));
        Console.WriteLine("inlined_always " + Hex(BitConverter.GetBytes(3.0)) + Hex(BitConverter.GetBytes(Returns.inlined_always(1.5))).Substring(1));
        Tell("call_at_end", 43, Returns.call_at_end(42));
        Tell("call_at_end_by_interface", 44, Returns.call_at_end_by_interface(new Others(), 43));
        Tell("native", 5, Returns.native(-5));
        try { Returns.thrown(1); } catch (InvalidOperationException) { Console.WriteLine("thrown 0 - -"); }
        Tell("async_at_once", 45, Returns.async_at_once(44).Result);
        Tell("async_later", 46, Returns.async_later(45).Result);
        int next = 47;
        foreach (int value in Returns.iterator(47)) Tell("iterator", next++, value);
#else
        Tell("runtime_async_at_once", 45, Returns.runtime_async_at_once(44).Result);
        Tell("runtime_async_later", 46, Returns.runtime_async_later(45).Result);
#endif
        return 100;
    }
}
