// Methods that do not simply return a value: where a leave hook does not come, or is shown something else. Each prints
// `name size truth seen` as the generated program does, or that there is no value. RUNTIME_ASYNC is for methods that the
// runtime suspends itself.
using System;
using System.Collections.Generic;
#if NET
using System.Runtime.Intrinsics;
#endif
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

class Returns
{
#if !RUNTIME_ASYNC
    public static int inlined(int value) { return value + 1; }
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static double inlined_always(double value) { return value * 2; }
    // What is called through delegates is not inlined, and may end in a tail call, which NoInlining would rule out.
    public static int call_at_end(int value) { return Others.Next(value); }
    public static double call_at_end_double(double value) { return Others.Next(value); }
#if NET
    public static float call_at_end_vector(Vector256<float> value) { return Others.Sum(value + value); }
#endif
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

class Others
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Next(int value) { return value + 1; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static double Next(double value) { return value + 1; }
#if NET
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static float Sum(Vector256<float> value) { return value[0] + value[1] + value[6] + value[7]; }
#endif
}

#if !RUNTIME_ASYNC
static class ByDelegate
{
    public static Func<int, int> Int = Returns.call_at_end;
    public static Func<double, double> Double = Returns.call_at_end_double;
#if NET
    public static Func<Vector256<float>, float> Vector = Returns.call_at_end_vector;
#endif
}
#endif

static class Program
{
    static string Hex(byte[] bytes) { return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant(); }
    static void Print(string name, byte[] truth, byte[] seen) { Console.WriteLine(name + " " + truth.Length + " " + Hex(truth) + " " + Hex(seen)); }
    static void Print(string name, int truth, int seen) { Print(name, BitConverter.GetBytes(truth), BitConverter.GetBytes(seen)); }
    static void Print(string name, float truth, float seen) { Print(name, BitConverter.GetBytes(truth), BitConverter.GetBytes(seen)); }
    static void Print(string name, double truth, double seen) { Print(name, BitConverter.GetBytes(truth), BitConverter.GetBytes(seen)); }

    static int Main()
    {
#if !RUNTIME_ASYNC
        Print("inlined", 42, Returns.inlined(41));
        Print("inlined_always", 3.0, Returns.inlined_always(1.5));
        Print("call_at_end", 43, ByDelegate.Int(42));
        Print("call_at_end_double", 4.5, ByDelegate.Double(3.5));
#if NET
        Print("call_at_end_vector", 36f, ByDelegate.Vector(Vector256.Create(1f, 2, 3, 4, 5, 6, 7, 8)));
#endif
        Print("native", 5, Returns.native(-5));
        try { Returns.thrown(1); } catch (InvalidOperationException) { Console.WriteLine("thrown 0 - -"); }
        Print("async_at_once", 45, Returns.async_at_once(44).Result);
        Print("async_later", 46, Returns.async_later(45).Result);
        int next = 47;
        foreach (int value in Returns.iterator(47)) Print("iterator", next++, value);
#else
        Print("runtime_async_at_once", 45, Returns.runtime_async_at_once(44).Result);
        Print("runtime_async_later", 46, Returns.runtime_async_later(45).Result);
#endif
        return 100;
    }
}
