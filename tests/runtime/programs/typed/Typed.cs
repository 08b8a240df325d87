// Inspectors with methods for many types (Takes.cs), for few (Few.cs, Only.cs), and with methods that put another value
// in the place of what is returned (Change.cs). Typed.rules.xml says who gets what. Nothing here boxes in Named and
// Alone: run.sh looks at the patched IL.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;

namespace Typed
{
    // What the program sees is shown by the stock inspector, since it is not to be seen on stdout.
    static class Out
    {
        static string Seen(string text) { return text; }
        public static void See(string name, object value)
        {
            Seen(name + " " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }
    }

    enum Own : short { One = 1 }
    struct Pair { public int A; public string B; }
    struct Box<T> { public T Value; }
    class Class { public override string ToString() { return "class"; } }
    class Outer<T>
    {
        public struct Inner<U> { public T First; public U Second; }
        public class Deep { }
        static T Value(T value) { return value; }
        static T[] Array(T value) { return new[] { value }; }
        static Inner<U> Both<U>(T first, U second) { return new Inner<U> { First = first, Second = second }; }
        static Deep Nested() { return null; }
        static List<T> List() { return null; }
        static KeyValuePair<T, string> Open(T value) { return new KeyValuePair<T, string>(value, "open"); }
        T Instance(T value) { return value; }
        public static void Run(T value)
        {
            Value(value);
            Array(value);
            Both(value, 2.5m);
            Both(value, "u");
            Nested();
            List();
            Open(value);
            new Outer<T>().Instance(value);
        }
    }

    static class Named
    {
        static bool Tbool() { return true; }
        static char Tchar() { return 'c'; }
        static sbyte Tsbyte() { return -1; }
        static byte Tbyte() { return 2; }
        static short Tshort() { return -3; }
        static ushort Tushort() { return 4; }
        static int Tint() { return -5; }
        static uint Tuint() { return 6; }
        static long Tlong() { return -7; }
        static ulong Tulong() { return 8; }
        static float Tfloat() { return 1.5f; }
        static double Tdouble() { return 2.5; }
        static IntPtr TIntPtr() { return new IntPtr(9); }
        static UIntPtr TUIntPtr() { return new UIntPtr(10); }
        static string Tstring() { return "text"; }
        static decimal Tdecimal() { return 11.25m; }
        static Guid TGuid() { return new Guid("00000000-0000-0000-0000-00000000000c"); }
        static DateTime TDateTime() { return new DateTime(2001, 2, 3); }
        static DateTimeOffset TDateTimeOffset() { return new DateTimeOffset(2001, 2, 3, 4, 5, 6, TimeSpan.Zero); }
        static TimeSpan TTimeSpan() { return new TimeSpan(7); }
        static KeyValuePair<int, string> TKeyValuePair_int_string() { return new KeyValuePair<int, string>(1, "k"); }
        static long? TlongMaybe() { return 13; }
        static ValueTuple<int, string> TValueTuple_int_string() { return new ValueTuple<int, string>(2, "v"); }
        static int[] Tint_Array() { return new[] { 1, 2 }; }
        static int[][] Tint_Array_Array() { return new[] { new[] { 1 }, null }; }
        static object[] Tobject_Array() { return new object[] { "p", "o" }; }
        static int[,] Tint_2D() { return new int[1, 2]; }
        static string[,,] Tstring_3D() { return new string[1, 1, 1]; }
        static decimal[] Tdecimal_Array() { return new[] { 1.5m }; }
        static DayOfWeek TDayOfWeek() { return DayOfWeek.Friday; }
        static List<int> TList_int() { return new List<int> { 3 }; }
        static Dictionary<string, int> TDictionary_string_int() { return new Dictionary<string, int>(); }
        static List<List<Guid?>> TList_List_GuidMaybe() { return new List<List<Guid?>>(); }
        static Dictionary<string, int>.KeyCollection TDictionary_string_int_KeyCollection() { return new Dictionary<string, int>().Keys; }
        static List<int>.Enumerator TList_int_Enumerator() { return new List<int>().GetEnumerator(); }
        static Environment.SpecialFolder TEnvironment_SpecialFolder() { return Environment.SpecialFolder.Desktop; }
        static Version TVersion() { return new Version(1, 2); }
        static Action<int> TAction_int() { return null; }
        static IDisposable TIDisposable() { return null; }
        static BigInteger TBigInteger() { return new BigInteger(14); }
        static Complex TComplex() { return new Complex(1, 2); }
        public static void Run()
        {
            Tbool();
            Tchar();
            Tsbyte();
            Tbyte();
            Tshort();
            Tushort();
            Tint();
            Tuint();
            Tlong();
            Tulong();
            Tfloat();
            Tdouble();
            TIntPtr();
            TUIntPtr();
            Tstring();
            Tdecimal();
            TGuid();
            TDateTime();
            TDateTimeOffset();
            TTimeSpan();
            TKeyValuePair_int_string();
            TlongMaybe();
            TValueTuple_int_string();
            Tint_Array();
            Tint_Array_Array();
            Tobject_Array();
            Tint_2D();
            Tstring_3D();
            Tdecimal_Array();
            TDayOfWeek();
            TList_int();
            TDictionary_string_int();
            TList_List_GuidMaybe();
            TDictionary_string_int_KeyCollection();
            TList_int_Enumerator();
            TEnvironment_SpecialFolder();
            TVersion();
            TAction_int();
            TIDisposable();
            TBigInteger();
            TComplex();
        }
    }

    static class Alone
    {
        static bool Tbool() { return true; }
        static char Tchar() { return 'c'; }
        static sbyte Tsbyte() { return -1; }
        static byte Tbyte() { return 2; }
        static short Tshort() { return -3; }
        static ushort Tushort() { return 4; }
        static int Tint() { return -5; }
        static uint Tuint() { return 6; }
        static long Tlong() { return -7; }
        static ulong Tulong() { return 8; }
        static float Tfloat() { return 1.5f; }
        static double Tdouble() { return 2.5; }
        static IntPtr TIntPtr() { return new IntPtr(9); }
        static UIntPtr TUIntPtr() { return new UIntPtr(10); }
        static string Tstring() { return "text"; }
        static decimal Tdecimal() { return 11.25m; }
        static Guid TGuid() { return new Guid("00000000-0000-0000-0000-00000000000c"); }
        static DateTime TDateTime() { return new DateTime(2001, 2, 3); }
        static DateTimeOffset TDateTimeOffset() { return new DateTimeOffset(2001, 2, 3, 4, 5, 6, TimeSpan.Zero); }
        static TimeSpan TTimeSpan() { return new TimeSpan(7); }
        static KeyValuePair<int, string> TKeyValuePair_int_string() { return new KeyValuePair<int, string>(1, "k"); }
        static long? TlongMaybe() { return 13; }
        static ValueTuple<int, string> TValueTuple_int_string() { return new ValueTuple<int, string>(2, "v"); }
        static int[] Tint_Array() { return new[] { 1, 2 }; }
        static int[][] Tint_Array_Array() { return new[] { new[] { 1 }, null }; }
        static object[] Tobject_Array() { return new object[] { "p", "o" }; }
        static int[,] Tint_2D() { return new int[1, 2]; }
        static string[,,] Tstring_3D() { return new string[1, 1, 1]; }
        static decimal[] Tdecimal_Array() { return new[] { 1.5m }; }
        static DayOfWeek TDayOfWeek() { return DayOfWeek.Friday; }
        static List<int> TList_int() { return new List<int> { 3 }; }
        static Dictionary<string, int> TDictionary_string_int() { return new Dictionary<string, int>(); }
        static List<List<Guid?>> TList_List_GuidMaybe() { return new List<List<Guid?>>(); }
        static Dictionary<string, int>.KeyCollection TDictionary_string_int_KeyCollection() { return new Dictionary<string, int>().Keys; }
        static List<int>.Enumerator TList_int_Enumerator() { return new List<int>().GetEnumerator(); }
        static Environment.SpecialFolder TEnvironment_SpecialFolder() { return Environment.SpecialFolder.Desktop; }
        static Version TVersion() { return new Version(1, 2); }
        static Action<int> TAction_int() { return null; }
        static IDisposable TIDisposable() { return null; }
        static BigInteger TBigInteger() { return new BigInteger(14); }
        static Complex TComplex() { return new Complex(1, 2); }
        public static void Run()
        {
            Tbool();
            Tchar();
            Tsbyte();
            Tbyte();
            Tshort();
            Tushort();
            Tint();
            Tuint();
            Tlong();
            Tulong();
            Tfloat();
            Tdouble();
            TIntPtr();
            TUIntPtr();
            Tstring();
            Tdecimal();
            TGuid();
            TDateTime();
            TDateTimeOffset();
            TTimeSpan();
            TKeyValuePair_int_string();
            TlongMaybe();
            TValueTuple_int_string();
            Tint_Array();
            Tint_Array_Array();
            Tobject_Array();
            Tint_2D();
            Tstring_3D();
            Tdecimal_Array();
            TDayOfWeek();
            TList_int();
            TDictionary_string_int();
            TList_List_GuidMaybe();
            TDictionary_string_int_KeyCollection();
            TList_int_Enumerator();
            TEnvironment_SpecialFolder();
            TVersion();
            TAction_int();
            TIDisposable();
            TBigInteger();
            TComplex();
        }
    }

    // For these there is no method but the one for any type.
    static class Any
    {
        static object Object() { return 1; }
        static Own Enum() { return Own.One; }
        static Pair Struct() { return new Pair { A = 1, B = "b" }; }
        static Box<int> Generic() { return new Box<int> { Value = 3 }; }
        static Class Reference() { return new Class(); }
        static int? Maybe() { return 4; }
        static long? Nothing(bool none) { return none ? (long?)null : 5; }
        static List<string> OtherArgument() { return null; }
        static List<int?> OtherArguments() { return null; }
        static KeyValuePair<string, int> Turned() { return new KeyValuePair<string, int>("k", 5); }
        static uint[] OtherArray() { return null; }
        static long[,] OtherShape() { return null; }
        static int[,,] OtherRank() { return null; }
        static IEnumerable<int> Interface() { return null; }
        static Own[] Enums() { return null; }
        static T Parameter<T>(T value) { return value; }
        static T[] Parameters<T>(T value) { return new[] { value }; }
        static List<T> ListOf<T>(T value) { return new List<T> { value }; }
        static int Several(int n)
        {
            switch (n)
            {
            case 0: return 10;
            case 1: return 11;
            case 2: return 12;
            }
            try { return n / (n - 3); }
            catch (DivideByZeroException) { return -n; }
            finally { n = 0; }
        }
        public static void Run()
        {
            Object();
            Enum();
            Struct();
            Generic();
            Reference();
            Maybe();
            Nothing(false);
            Nothing(true);
            OtherArgument();
            OtherArguments();
            Turned();
            OtherArray();
            OtherShape();
            OtherRank();
            Interface();
            Enums();
            Parameter(1);
            Parameter("p");
            Parameter(2.5m);
            Parameters(1);
            ListOf(1);
            for (int n = 0; n < 5; n++)
                Several(n);
            Outer<int>.Run(1);
            Outer<string>.Run("o");
        }
    }

    // One for int and string, one for objects.
    static class Few
    {
        static int Number() { return 1; }
        static string Text() { return "few"; }
        static uint Unsigned() { return 2; }
        static Own Enum() { return Own.One; }
        static object Object() { return "object"; }
        static Class Reference() { return null; }
        static T Parameter<T>(T value) { return value; }
        public static void Run()
        {
            Number();
            Text();
            Unsigned();
            Enum();
            Object();
            Reference();
            Parameter(3);
        }
    }

    // One for int with the name and one for string without it, and none for anything else.
    static class Only
    {
        static int Number() { return 1; }
        static string Text() { return "only"; }
        static uint Unsigned() { return 2; }
        static object Object() { return 1; }
        static Own Enum() { return Own.One; }
        static T Parameter<T>(T value) { return value; }
        static int? Maybe() { return 3; }
        public static void Run()
        {
            Number();
            Text();
            Unsigned();
            Object();
            Enum();
            Parameter(3);
            Parameter("p");
            Maybe();
        }
    }

    static class Change
    {
        static int Number() { return 1; }
        static string Text() { return "text"; }
        static string None() { return null; }
        static decimal Decimal() { return 1.5m; }
        static TimeSpan Span() { return new TimeSpan(5); }
        static KeyValuePair<int, string> Pair() { return new KeyValuePair<int, string>(1, "one"); }
        static int[] Array() { return new[] { 1 }; }
        static long? Maybe() { return null; }
        static DayOfWeek Day() { return DayOfWeek.Monday; }
        static long Long() { return 7; }
        static Own Enum() { return Own.One; }
        static Pair Struct() { return new Pair { A = 1, B = "b" }; }
        static object Object() { return "object"; }
        static bool Kept() { return true; }
        static T Parameter<T>(T value) { return value; }
        static int Sum(int n) { return n == 0 ? 0 : n + Sum(n - 1); }
        static string Flow(int n)
        {
            try
            {
                if (n == 0)
                    return "zero";
                return n == 1 ? "one" : "many";
            }
            finally { n = 9; }
        }
        public static void Run()
        {
            Out.See("Number", Number());
            Out.See("Text", Text());
            Out.See("None", None());
            Out.See("Decimal", Decimal());
            Out.See("Span", Span().Ticks);
            Out.See("Pair", Pair().Key + Pair().Value);
            Out.See("Array", Array().Length);
            Out.See("Maybe", Maybe());
            Out.See("Day", Day());
            Out.See("Long", Long());
            Out.See("Enum", (short)Enum());
            Out.See("Struct", Struct().A + Struct().B);
            Out.See("Object", Object());
            Out.See("Kept", Kept());
            Out.See("Parameter", Parameter(1L));
            Out.See("Parameter", Parameter("p"));
            Out.See("Parameter", Parameter(1));
            Out.See("Sum", Sum(2));
            Out.See("Flow", Flow(0) + Flow(1) + Flow(2));
        }
    }

    static class Program
    {
        static int Main()
        {
            Named.Run();
            Alone.Run();
            Any.Run();
            Few.Run();
            Only.Run();
            Change.Run();
            Console.WriteLine("done");
            return 100;
        }
    }
}
