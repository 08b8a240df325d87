// What else than structs of one module native functions are given. Prints "name size bytes" for each value; texts and spans
// as the functions for them write them. What needs .NET comes with -define:NET.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

enum Small : byte { A = 0x5A }
enum Wide : long { A = 0x123456789ABCDEF0 }
struct Pair<T, U> { public T First; public U Second; }
[StructLayout(LayoutKind.Sequential, Pack = 1)] struct Three { public short A; public byte B; }
struct Holder { public int Number; public string Text; }

static unsafe partial class Returns
{
    public static int Global = 0x01020304;
    static string shared = "shared";

    public static bool Bool() { return true; }
    public static char Char() { return 'x'; }
    public static sbyte SByte() { return -2; }
    public static byte Byte() { return 0xFE; }
    public static short Int16() { return -3; }
    public static ushort UInt16() { return 0xFDFC; }
    public static int Int32() { return -4; }
    public static uint UInt32() { return 0xFBFAF9F8; }
    public static long Int64() { return -5; }
    public static ulong UInt64() { return 0xF7F6F5F4F3F2F1F0; }
    public static float Single() { return 1.5f; }
    public static double Double() { return -2.25; }
    public static IntPtr IntPtr() { return new IntPtr(0x7FEDCBA9); }
    public static UIntPtr UIntPtr() { return new UIntPtr(0x6FEDCBA9); }
    public static Small SmallEnum() { return Small.A; }
    public static Wide WideEnum() { return Wide.A; }
    public static decimal Decimal() { return 12345.678m; }
    public static Guid Guid() { return new Guid(0x01020304, 0x0506, 0x0708, 9, 10, 11, 12, 13, 14, 15, 16); }
    public static DateTime DateTime() { return new DateTime(0x08D0000000000000); }
    public static TimeSpan TimeSpan() { return new TimeSpan(0x0102030405060708); }
    public static int? Nullable(bool value) { return value ? 0x11223344 : default(int?); }
    public static KeyValuePair<int, long> KeyValue() { return new KeyValuePair<int, long>(7, -8); }
    public static Pair<byte, Three> PairOf() { return new Pair<byte, Three> { First = 1, Second = new Three { A = 2, B = 3 } }; }
    public static ref int Slot() { return ref Global; }
    public static ref int NoSlot() { return ref *(int*)null; }
    public static int* Pointer() { return (int*)0x12345678; }
    public static void** Pointers() { return (void**)0x87654321; }

    // left as they are without a word from the rule
    public static string Text() { return shared; }
    public static object Object() { return null; }
    public static Holder Held() { return new Holder { Number = 1, Text = shared }; }
    public static T Same<T>(T value) { return value; }
    public static int[] Array() { return null; }
    public static int Throws() { throw new InvalidOperationException(); }

    public static long Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1); }
    public static int Caught(string text)
    {
        try { return int.Parse(text); }
        catch (FormatException) { return -1; }
        finally { Global++; }
    }
    public static IEnumerable<int> Many() { yield return 1; yield return 2; }
}

static partial class Returns
{
    public static async Task<int> Later() { await Task.Yield(); return 0x0A0B0C0D; }
}

static class Generic
{
    public static T Same<T>(T value) { return value; }
    public static Pair<T, int> With<T>(T value) { return new Pair<T, int> { First = value, Second = 0x55 }; }
}

static class Texts
{
    public static string Text(string text) { return text; }
    public static string Empty() { return ""; }
}

#if NET
static class Spans
{
    static int[] items = { 3, 4, 5 };
    public static Span<int> Of() { return items; }
    public static ReadOnlySpan<int> Some() { return items.AsSpan(1); }
    public static Span<int> None() { return default; }
}

static class Steady
{
    public static string Text(char c) { return new string(c, 64); }
}
#endif

unsafe static class Program
{
    static void Print<T>(string name, T value) where T : unmanaged
    {
        string text = name + " " + sizeof(T) + " ";
        for (int i = 0; i < sizeof(T); i++) text += ((byte*)&value)[i].ToString("x2");
        Console.WriteLine(text);
    }

    static void Said(string name, string text) { Console.WriteLine(name + " " + text); }

    static int Main(string[] arguments)
    {
#if NET
        if (arguments.Length != 0)
        {
            KeepCollecting();
            return 100;
        }
#endif
        Print("Returns::Bool", Returns.Bool());
        Print("Returns::Char", Returns.Char());
        Print("Returns::SByte", Returns.SByte());
        Print("Returns::Byte", Returns.Byte());
        Print("Returns::Int16", Returns.Int16());
        Print("Returns::UInt16", Returns.UInt16());
        Print("Returns::Int32", Returns.Int32());
        Print("Returns::UInt32", Returns.UInt32());
        Print("Returns::Int64", Returns.Int64());
        Print("Returns::UInt64", Returns.UInt64());
        Print("Returns::Single", Returns.Single());
        Print("Returns::Double", Returns.Double());
        Print("Returns::IntPtr", Returns.IntPtr());
        Print("Returns::UIntPtr", Returns.UIntPtr());
        Print("Returns::SmallEnum", Returns.SmallEnum());
        Print("Returns::WideEnum", Returns.WideEnum());
        Print("Returns::Decimal", Returns.Decimal());
        Print("Returns::Guid", Returns.Guid());
        Print("Returns::DateTime", Returns.DateTime());
        Print("Returns::TimeSpan", Returns.TimeSpan());
        Returns.Nullable(true); Said("Returns::Nullable", "8 01......44332211");
        Returns.Nullable(false); Said("Returns::Nullable", "8 00......00000000");
        Print("Returns::KeyValue", Returns.KeyValue());
        Print("Returns::PairOf", Returns.PairOf());
        Print("Returns::Slot", Returns.Slot());
        Returns.NoSlot(); Said("Returns::NoSlot", "4 null");
        Print("Returns::Pointer", (IntPtr)Returns.Pointer());
        Print("Returns::Pointers", (IntPtr)Returns.Pointers());
        Print("Returns::Later", Returns.Later().Result);

        Returns.Text(); Returns.Object(); Returns.Held(); Returns.Same(1); Returns.Array();
        try { Returns.Throws(); }
        catch (InvalidOperationException) { }

        for (int i = 1; i <= 5; i++) Print("Returns::Factorial", Factorials(i));
        Returns.Factorial(5);
        Print("Returns::Caught", Returns.Caught("12"));
        Print("Returns::Caught", Returns.Caught("no"));

        int yielded = 0;
        foreach (int value in Returns.Many()) Print("Returns::Many", ++yielded);

        Print("Generic::Same", Generic.Same(0x01020304));
        Print("Generic::Same", Generic.Same((byte)7));
        Print("Generic::Same", Generic.Same(new Three { A = 0x0102, B = 3 }));
        Print("Generic::Same", Generic.Same(new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)));
        Generic.Same("an object"); Said("Generic::Same", "8 ................");
        Generic.Same<object>(null); Said("Generic::Same", "8 0000000000000000");
        Print("Generic::With", Generic.With(0x01020304));
        Generic.With("text"); Said("Generic::With", "16 ................55000000........");

        Texts.Text("hello"); Said("Texts::Text", "8 'hello'");
        Texts.Text(null); Said("Texts::Text", "8 'null'");
        Texts.Empty(); Said("Texts::Empty", "8 ''");
#if NET
        Spans.Of(); Said("Spans::Of", "16 3 4 5");
        Spans.Some(); Said("Spans::Some", "16 4 5");
        Spans.None(); Said("Spans::None", "16");
#endif
        return 100;
    }

    static long Factorials(int n) { return n < 2 ? 1 : n * Factorials(n - 1); }

#if NET
    // One thread makes strings, which are inspected; another collects garbage meanwhile, once for each hundred of them.
    static void KeepCollecting()
    {
        const int Strings = 30000, Pace = 100;
        var next = new SemaphoreSlim(0);
        var collected = new SemaphoreSlim(1);
        var collector = new Thread(() =>
        {
            for (int i = 0; i < Strings / Pace; i++)
            {
                next.Wait();
                GC.Collect(2, GCCollectionMode.Forced, true, true);
                collected.Release();
            }
        });
        collector.Start();
        object[] kept = new object[64];
        for (int i = 0; i < Strings; i++)
        {
            if (i % Pace == 0) { collected.Wait(); next.Release(); }
            kept[i % 64] = Steady.Text((char)('a' + i % 26));
        }
        collector.Join();
    }
#endif
}
