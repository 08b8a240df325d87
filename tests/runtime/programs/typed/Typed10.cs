// What Typed.cs shows, for what only .NET 10 has: its types, byref-like types, type parameters that may mean them.

using System;
using System.Collections.Generic;
using System.Text;

namespace Typed10
{
    static class Out
    {
        static string Seen(string text) { return text; }
        public static void See(string name, object value) { Seen(name + " " + value); }
    }

    ref struct Own { public Span<int> Part; public int Number; }
    ref struct Own<T> { public ref T Reference; }

    class Any<T> where T : allows ref struct
    {
        static T Value(T value) { return value; }
        static U Other<U>(T value, U other) where U : allows ref struct { return other; }
        public static void Run(T value)
        {
            Value(value);
            Other(value, 1);
            Other<Span<byte>>(value, default);
        }
    }

    static class Named
    {
        static DateOnly TDateOnly() { return new DateOnly(2001, 2, 3); }
        static TimeOnly TTimeOnly() { return new TimeOnly(4, 5); }
        static Half THalf() { return (Half)1.5f; }
        static Int128 TInt128() { return 12; }
        static UInt128 TUInt128() { return 13; }
        static Rune TRune() { return new Rune('r'); }
        static Index TIndex() { return ^1; }
        static Memory<int> TMemory() { return new int[2]; }
        static Span<int> TSpan() { return new int[3]; }
        static ReadOnlySpan<char> TChars() { return "chars"; }
        static Span<int> TStill(Span<int> span) { return span.Slice(1); }
        public static void Run()
        {
            TDateOnly();
            TTimeOnly();
            THalf();
            TInt128();
            TUInt128();
            TRune();
            TIndex();
            TMemory();
            TSpan();
            TChars();
            Span<int> stack = stackalloc int[5];
            TStill(stack);
        }
    }

    static class ByRefLike
    {
        static Span<byte> OtherSpan() { return new byte[3]; }
        static ReadOnlySpan<int> OtherReadOnly() { return default; }
        static Own Struct() { return new Own { Number = 4 }; }
        static Own<int> Generic() { return default; }
        static T Parameter<T>(T value) where T : allows ref struct { return value; }
        static IEnumerable<int> Interface() { return null; }
        static Range Plain() { return default; }
        public static void Run()
        {
            OtherSpan();
            OtherReadOnly();
            Struct();
            Generic();
            Parameter(1);
            Parameter("p");
            Parameter(Struct());
            Parameter<Span<int>>(default);
            Interface();
            Plain();
            Any<string>.Run("any");
            Any<ReadOnlySpan<char>>.Run("any");
        }
    }

    static class Without
    {
        static Span<int> Span() { return new int[3]; }
        static Own Struct() { return new Own { Number = 4 }; }
        static T Parameter<T>(T value) where T : allows ref struct { return value; }
        static T Usual<T>(T value) { return value; }
        static Half Number() { return (Half)2; }
        static ref int Reference(int[] array) { return ref array[0]; }
        public static void Run()
        {
            Span();
            Struct();
            Parameter(1);
            Usual(1);
            Number();
            Reference(new[] { 3 })++;
        }
    }

    static class Change
    {
        static Span<int> Span() { return new int[3]; }
        static Own Struct() { return new Own { Number = 4 }; }
        static T Parameter<T>(T value) where T : allows ref struct { return value; }
        static T Guarded<T>(T value) where T : allows ref struct { return value; }
        public static void Run()
        {
            Out.See("Span", Span().Length);
            Out.See("Struct", Struct().Number);
            Out.See("Parameter", Parameter(7));
            Out.See("Parameter", Parameter<ReadOnlySpan<char>>("chars").Length);
            Out.See("Guarded", Guarded(7));
            Out.See("Guarded", Guarded<ReadOnlySpan<char>>("chars").Length);
        }
    }

    static class Program
    {
        static int Main()
        {
            Named.Run();
            ByRefLike.Run();
            Without.Run();
            Change.Run();
            Console.WriteLine("done");
            return 100;
        }
    }
}
