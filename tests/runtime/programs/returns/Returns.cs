// Every kind of value that a C# method can return, one small method each.
//
// Each method is called once, in the order of Main, and what arrives at the caller goes to stdout: a patched
// program that disturbs a value prints something else than the unpatched one. What the inspector has to see
// is in expected.txt, in call order.
//
// The part that mcs (C# 7) can compile comes first and holds for .NET and Mono; what needs a newer compiler or
// runtime is in namespace Returns.Net10 (#if NET10), so that Mono's expectation is expected.txt without it.
//
// Names that compilers make up contain '<' and are left out of the comparison: debug and release builds, csc and
// mcs do not agree on them.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

// A type without a namespace: its name is "NoNamespace::Value", without a leading dot.
static class NoNamespace
{
    public static int Value() { return 11; }
}

namespace Returns
{
    // What the caller got, in a form of its own, so that stdout does not depend on the inspector's. Only void
    // methods: the helper itself adds no lines to the inspector's output.
    static class Out
    {
        public static void Show(string name, object value)
        {
            var text = new StringBuilder(name).Append(" = ");
            Dump(text, value, 0);
            Console.WriteLine(text);
        }

        static void Dump(StringBuilder text, object value, int depth)
        {
            if (value == null)
                text.Append("null");
            else if (value is Enum)
                text.Append(((Enum)value).ToString("D"));
            else if (value is IntPtr)
                text.Append(((IntPtr)value).ToInt64());
            else if (value is UIntPtr)
                text.Append(((UIntPtr)value).ToUInt64());
            else if (value is DateTime)
                text.Append(((DateTime)value).Ticks);
            else if (value is IConvertible)
                text.Append(((IConvertible)value).ToString(CultureInfo.InvariantCulture));
            else if (value is Guid || value is TimeSpan)
                text.Append(value);
            else if (value is Array)
                Items(text, (Array)value, depth);
            else if (value is ValueType && depth < 5)
                Fields(text, value, depth);
            else
                text.Append("an object");
        }

        static void Items(StringBuilder text, Array array, int depth)
        {
            text.Append('[');
            foreach (object item in array)
            {
                Dump(text, item, depth + 1);
                text.Append(' ');
            }
            text.Append(']');
        }

        static void Fields(StringBuilder text, object value, int depth)
        {
            text.Append('{');
            var all = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            foreach (FieldInfo field in value.GetType().GetFields(all))
            {
                Dump(text, field.GetValue(value), depth + 1);
                text.Append(' ');
            }
            text.Append('}');
        }
    }

    // ---- primitives, strings, null ---------------------------------------------------------------------

    static class Primitives
    {
        static void Nothing() { }
        static bool False() { return false; }
        static bool True() { return true; }
        static char Char() { return 'a'; }
        static char WideChar() { return '\u20ac'; }
        static sbyte Int8() { return -128; }
        static byte UInt8() { return 255; }
        static short Int16() { return -32768; }
        static ushort UInt16() { return 65535; }
        static int Int32() { return int.MinValue; }
        static uint UInt32() { return uint.MaxValue; }
        static long Int64() { return long.MinValue; }
        static ulong UInt64() { return ulong.MaxValue; }
        static float Float() { return 1.5f; }
        static float FloatTenth() { return 0.1f; }
        static double Double() { return -2.25; }
        static double DoubleTenth() { return 0.1; }
        static double Third() { return 1.0 / 3.0; }
        static double Large() { return 1.7976931348623157E+308; }
        static double NaN() { return double.NaN; }
        static double Infinity() { return double.NegativeInfinity; }
        static IntPtr NativeInt() { return new IntPtr(-5); }
        static UIntPtr NativeUInt() { return new UIntPtr(5); }

        public static void Run()
        {
            Nothing();
            Out.Show("False", False());
            Out.Show("True", True());
            Out.Show("Char", Char());
            Out.Show("WideChar", (int)WideChar());
            Out.Show("Int8", Int8());
            Out.Show("UInt8", UInt8());
            Out.Show("Int16", Int16());
            Out.Show("UInt16", UInt16());
            Out.Show("Int32", Int32());
            Out.Show("UInt32", UInt32());
            Out.Show("Int64", Int64());
            Out.Show("UInt64", UInt64());
            Out.Show("Float", Float());
            Out.Show("FloatTenth", FloatTenth() == 0.1f);
            Out.Show("Double", Double());
            Out.Show("DoubleTenth", DoubleTenth() == 0.1);
            Out.Show("Third", Third() * 3.0 == 1.0);
            Out.Show("Large", Large() == double.MaxValue);
            Out.Show("NaN", NaN());
            Out.Show("Infinity", Infinity() < 0.0);
            Out.Show("NativeInt", NativeInt());
            Out.Show("NativeUInt", NativeUInt());
        }
    }

    static class References
    {
        public interface INode { }
        public class Node : INode { public Node Next; }
        sealed class Leaf : Node { }

        static string Text() { return "text"; }
        static string Empty() { return ""; }
        static string NoText() { return null; }
        static string Wide() { return "z\u00fcrich \u65e5\u672c"; }
        static object NoObject() { return null; }
        static object PlainObject() { return new object(); }
        // The inspector sees what is in the box, not the declared type.
        static object BoxedInt() { return 42; }
        static object BoxedText() { return "boxed"; }
        static ValueType BoxedValue() { return 2.5; }
        static Enum BoxedEnum() { return DayOfWeek.Friday; }
        static Node Class() { return new Node(); }
        static Node Derived() { return new Leaf { Next = new Node() }; }
        static INode Interface() { return new Leaf(); }
        static IComparable InterfaceOnBox() { return (byte)7; }
        static Action Delegate() { return Nothing; }
        static Exception Exception() { return new InvalidOperationException("not thrown"); }
        static List<string> GenericClass() { return new List<string> { "a" }; }
        static void Nothing() { }

        public static void Run()
        {
            Out.Show("Text", Text());
            Out.Show("Empty", Empty());
            Out.Show("NoText", NoText());
            Out.Show("Wide", Wide().Length);
            Out.Show("NoObject", NoObject());
            Out.Show("PlainObject", PlainObject());
            Out.Show("BoxedInt", BoxedInt());
            Out.Show("BoxedText", BoxedText());
            Out.Show("BoxedValue", BoxedValue());
            Out.Show("BoxedEnum", BoxedEnum());
            Out.Show("Class", Class());
            Out.Show("Derived", Derived().Next != null);
            Out.Show("Interface", Interface());
            Out.Show("InterfaceOnBox", InterfaceOnBox());
            Delegate()();
            Out.Show("Exception", Exception().Message);
            Out.Show("GenericClass", GenericClass().Count);
        }
    }

    static class Arrays
    {
        static int[] Ints() { return new[] { 1, 2, 3 }; }
        static string[] Strings() { return new[] { "a", null }; }
        static object[] None() { return new object[0]; }
        static int[] Null() { return null; }
        static int[,] Matrix() { return new[,] { { 1, 2, 3 }, { 4, 5, 6 } }; }
        static byte[,,] Cube() { return new byte[1, 2, 3]; }
        static int[][] Jagged() { return new[] { new[] { 1 }, new[] { 2, 3 } }; }
        static int[][,] Mixed() { return new[] { new int[2, 2] }; }
        static Array Any() { return new long[4]; }
        static T[] Generic<T>(T item) { return new[] { item }; }
        // Array covariance: declared object[], a string[] arrives.
        static object[] Covariant() { return new string[1]; }

        public static void Run()
        {
            Out.Show("Ints", Ints());
            Out.Show("Strings", Strings());
            Out.Show("None", None());
            Out.Show("Null", Null());
            Out.Show("Matrix", Matrix());
            Out.Show("Cube", Cube());
            Out.Show("Jagged", Jagged());
            Out.Show("Mixed", Mixed());
            Out.Show("Any", Any());
            Out.Show("Generic", Generic(1.5));
            Out.Show("Generic", Generic("s"));
            Out.Show("Covariant", Covariant());
        }
    }

    // ---- enums -------------------------------------------------------------------------------------------

    static class Enums
    {
        enum OfSByte : sbyte { Low = -128, High = 127 }
        enum OfByte : byte { Low, High = 255 }
        enum OfShort : short { Low = -32768, High = 32767 }
        enum OfUShort : ushort { Low, High = 65535 }
        enum OfInt { Low = int.MinValue, High = int.MaxValue }
        enum OfUInt : uint { Low, High = uint.MaxValue }
        enum OfLong : long { Low = long.MinValue, High = long.MaxValue }
        enum OfULong : ulong { Low, High = ulong.MaxValue }
        [Flags] enum Bits { None, One = 1, Two = 2, Four = 4 }

        static OfSByte SByte() { return OfSByte.Low; }
        static OfByte Byte() { return OfByte.High; }
        static OfShort Short() { return OfShort.Low; }
        static OfUShort UShort() { return OfUShort.High; }
        static OfInt Int() { return OfInt.Low; }
        static OfUInt UInt() { return OfUInt.High; }
        static OfLong Long() { return OfLong.Low; }
        static OfULong ULong() { return OfULong.High; }
        static Bits Flags() { return Bits.One | Bits.Four; }
        static OfInt Unnamed() { return (OfInt)77; }
        static DayOfWeek Foreign() { return DayOfWeek.Monday; }
        static DayOfWeek? Maybe() { return DayOfWeek.Tuesday; }

        public static void Run()
        {
            Out.Show("SByte", SByte());
            Out.Show("Byte", Byte());
            Out.Show("Short", Short());
            Out.Show("UShort", UShort());
            Out.Show("Int", Int());
            Out.Show("UInt", UInt());
            Out.Show("Long", Long());
            Out.Show("ULong", ULong());
            Out.Show("Flags", Flags());
            Out.Show("Unnamed", Unnamed());
            Out.Show("Foreign", Foreign());
            Out.Show("Maybe", Maybe());
        }
    }

    // ---- structs -----------------------------------------------------------------------------------------

    // 1 to 64 bytes: in one register, in two, in integer and in vector registers, through a hidden pointer. No ABI
    // shows in the IL, so all have to come out alike.
    static class Structs
    {
        public struct Empty { }
        public struct B1 { public byte A; }
        public struct B2 { public short A; }
        public struct B3 { public byte A, B, C; }
        public struct B4 { public int A; }
        public struct B5 { public byte A, B, C, D, E; }
        public struct B8 { public int A, B; }
        public struct B12 { public int A, B, C; }
        public struct B16 { public long A, B; }
        public struct B17 { public B16 A; public byte B; }
        public struct B24 { public long A, B, C; }
        public struct B32 { public long A, B, C, D; }
        public struct B33 { public B32 A; public bool B; }
        public struct B48 { public B24 A, B; }
        public struct B64 { public B32 A, B; }
        public struct F4 { public float A; }
        public struct F8 { public float A, B; }
        public struct F16 { public float A, B, C, D; }
        public struct D16 { public double A, B; }
        public struct D32 { public double A, B, C, D; }
        public struct IntFloat { public int A; public float B; }
        public struct DoubleInt { public double A; public int B; }
        public struct LongDouble { public long A; public double B; }
        public struct Padded { public byte A; public long B; public byte C; }
        [StructLayout(LayoutKind.Sequential, Pack = 1)]
        public struct Packed { public byte A; public long B; }
        [StructLayout(LayoutKind.Explicit)]
        public struct Union { [FieldOffset(0)] public int A; [FieldOffset(0)] public short B; }
        public struct Refs { public string A; public object B; public int C; }
        public struct OneRef { public string A; }
        public struct Pair<A, B> { public A First; public B Second; public Pair(A a, B b) { First = a; Second = b; } }
        public struct Nested { public struct Inner { public char A; } public Inner In; public Pair<int, string> Both; }
        public unsafe struct Buffer
        {
            public fixed int Items[4];
            public int Sum() { fixed (int* p = Items) { return p[0] + p[1] + p[2] + p[3]; } }
        }

        static Empty GetEmpty() { return new Empty(); }
        static B1 Get1() { return new B1 { A = 1 }; }
        static B2 Get2() { return new B2 { A = -2 }; }
        static B3 Get3() { return new B3 { A = 1, B = 2, C = 3 }; }
        static B4 Get4() { return new B4 { A = -4 }; }
        static B5 Get5() { return new B5 { A = 1, B = 2, C = 3, D = 4, E = 5 }; }
        static B8 Get8() { return new B8 { A = 8, B = -8 }; }
        static B12 Get12() { return new B12 { A = 1, B = 2, C = 12 }; }
        static B16 Get16() { return new B16 { A = 1, B = 16 }; }
        static B17 Get17() { return new B17 { A = Get16(), B = 17 }; }
        static B24 Get24() { return new B24 { A = 1, B = 2, C = 24 }; }
        static B32 Get32() { return new B32 { A = 1, B = 2, C = 3, D = 32 }; }
        static B33 Get33() { return new B33 { A = Get32(), B = true }; }
        static B48 Get48() { return new B48 { A = Get24(), B = new B24 { C = 48 } }; }
        static B64 Get64() { return new B64 { A = new B32 { A = 1 }, B = new B32 { D = 64 } }; }
        static F4 GetF4() { return new F4 { A = 0.5f }; }
        static F8 GetF8() { return new F8 { A = 0.5f, B = 1.5f }; }
        static F16 GetF16() { return new F16 { A = 0.5f, B = 1.5f, C = 2.5f, D = 3.5f }; }
        static D16 GetD16() { return new D16 { A = 0.5, B = 1.5 }; }
        static D32 GetD32() { return new D32 { A = 0.5, B = 1.5, C = 2.5, D = 3.5 }; }
        static IntFloat GetIntFloat() { return new IntFloat { A = 1, B = 0.25f }; }
        static DoubleInt GetDoubleInt() { return new DoubleInt { A = 0.25, B = 1 }; }
        static LongDouble GetLongDouble() { return new LongDouble { A = -1, B = 0.75 }; }
        static Padded GetPadded() { return new Padded { A = 1, B = 2, C = 3 }; }
        static Packed GetPacked() { return new Packed { A = 1, B = 2 }; }
        static Union GetUnion() { return new Union { A = 65537 }; }
        static Refs GetRefs() { return new Refs { A = "a", B = null, C = 3 }; }
        static OneRef GetOneRef() { return new OneRef { A = "one" }; }
        static Pair<int, string> GetPair() { return new Pair<int, string>(1, "p"); }
        static Pair<byte, Pair<long, bool>> GetPairs() { return new Pair<byte, Pair<long, bool>>(1, new Pair<long, bool>(2, true)); }
        static Nested GetNested() { return new Nested { In = new Nested.Inner { A = 'n' }, Both = GetPair() }; }
        static Nested.Inner GetInner() { return new Nested.Inner { A = 'i' }; }
        static unsafe Buffer GetBuffer() { var b = new Buffer(); b.Items[0] = 1; b.Items[3] = 4; return b; }
        static B8? GetMaybe() { return new B8 { A = 1, B = 2 }; }
        static B8? GetNothing() { return null; }

        public static void Run()
        {
            Out.Show("Empty", GetEmpty());
            Out.Show("1", Get1());
            Out.Show("2", Get2());
            Out.Show("3", Get3());
            Out.Show("4", Get4());
            Out.Show("5", Get5());
            Out.Show("8", Get8());
            Out.Show("12", Get12());
            Out.Show("16", Get16());
            Out.Show("17", Get17());
            Out.Show("24", Get24());
            Out.Show("32", Get32());
            Out.Show("33", Get33());
            Out.Show("48", Get48());
            Out.Show("64", Get64());
            Out.Show("F4", GetF4());
            Out.Show("F8", GetF8());
            Out.Show("F16", GetF16());
            Out.Show("D16", GetD16());
            Out.Show("D32", GetD32());
            Out.Show("IntFloat", GetIntFloat());
            Out.Show("DoubleInt", GetDoubleInt());
            Out.Show("LongDouble", GetLongDouble());
            Out.Show("Padded", GetPadded());
            Out.Show("Packed", GetPacked());
            Out.Show("Union", GetUnion());
            Out.Show("Refs", GetRefs());
            Out.Show("OneRef", GetOneRef());
            Out.Show("Pair", GetPair());
            Out.Show("Pairs", GetPairs());
            Out.Show("Nested", GetNested());
            Out.Show("Inner", GetInner());
            Buffer buffer = GetBuffer();
            Out.Show("Buffer", buffer.Sum());
            Out.Show("Maybe", GetMaybe());
            Out.Show("Nothing", GetNothing());
        }
    }

    // Value types of the core library.
    static class WellKnown
    {
        static decimal Decimal() { return 123.4500m; }
        static decimal Negative() { return -0.01m; }
        static DateTime Date() { return new DateTime(2024, 2, 29, 13, 14, 15, DateTimeKind.Utc); }
        static TimeSpan Span() { return new TimeSpan(1, 2, 3, 4, 5); }
        static Guid Guid() { return new Guid("00112233-4455-6677-8899-aabbccddeeff"); }
        static int? Some() { return 5; }
        static int? None() { return null; }
        static Guid? NoGuid() { return null; }
        static (int, string) Tuple() { return (1, "t"); }
        static (int a, (bool b, char c) d) NamedTuple() { return (1, (true, 'c')); }
        static Tuple<int> OldTuple() { return System.Tuple.Create(1); }
        static KeyValuePair<int, string> KeyValue() { return new KeyValuePair<int, string>(1, "v"); }

        public static void Run()
        {
            Out.Show("Decimal", Decimal());
            Out.Show("Negative", Negative());
            Out.Show("Date", Date());
            Out.Show("Span", Span());
            Out.Show("Guid", Guid());
            Out.Show("Some", Some());
            Out.Show("None", None());
            Out.Show("NoGuid", NoGuid());
            Out.Show("Tuple", Tuple());
            Out.Show("NamedTuple", NamedTuple());
            Out.Show("OldTuple", OldTuple().Item1);
            Out.Show("KeyValue", KeyValue().Key);
        }
    }

    // ---- generics ----------------------------------------------------------------------------------------

    struct Num : IComparable<Num>
    {
        public int Value;
        public Num(int value) { Value = value; }
        public int CompareTo(Num other) { return Value - other.Value; }
        public override string ToString() { return "#" + Value.ToString(CultureInfo.InvariantCulture); }
        public override bool Equals(object other) { return other is Num && ((Num)other).Value == Value; }
        public override int GetHashCode() { return Value; }
        public static Num operator +(Num a, Num b) { return new Num(a.Value + b.Value); }
        public static Num operator -(Num a) { return new Num(-a.Value); }
        public static Num operator ++(Num a) { return new Num(a.Value + 1); }
        public static bool operator ==(Num a, Num b) { return a.Value == b.Value; }
        public static bool operator !=(Num a, Num b) { return a.Value != b.Value; }
        public static bool operator true(Num a) { return a.Value != 0; }
        public static bool operator false(Num a) { return a.Value == 0; }
        public static implicit operator Num(int value) { return new Num(value); }
        public static explicit operator int(Num a) { return a.Value; }
    }

    class Box<T>
    {
        T item;
        static T last;
        public Box(T item) { this.item = item; last = item; }
        public T Get() { return item; }
        public static T Last() { return last; }
        public Box<T> Self() { return this; }
        public Box<U> To<U>(Func<T, U> f) { return new Box<U>(f(item)); }
        public Structs.Pair<T, U> With<U>(U other) { return new Structs.Pair<T, U>(item, other); }
        public T this[int index] { get { return index == 0 ? item : default(T); } set { item = value; } }

        public class Inner<U>
        {
            public T Outer;
            public V Third<V>(V v) { return v; }
            public T First() { return Outer; }
        }
        public struct Part { public T Item; public Part Copy() { return this; } }
    }

    static class Generics
    {
        static T Id<T>(T value) { return value; }
        static T Default<T>() { return default(T); }
        static T New<T>() where T : new() { return new T(); }
        static T Class<T>(T value) where T : class { return value; }
        static T Struct<T>(T value) where T : struct { return value; }
        static T? Maybe<T>(T value) where T : struct { return value; }
        static T Max<T>(T a, T b) where T : IComparable<T> { return a.CompareTo(b) > 0 ? a : b; }
        // `constrained. callvirt` directly before ret.
        static string Text<T>(T value) { return value.ToString(); }
        static int Compare<T>(T a, T b) where T : IComparable<T> { return a.CompareTo(b); }
        static bool Same<T>(T a, object b) { return a.Equals(b); }
        static List<T> List<T>(T value) { return new List<T> { value }; }

        public static void Run()
        {
            Out.Show("Id", Id(1));
            Out.Show("Id", Id("s"));
            Out.Show("Id", Id((object)null));
            Out.Show("Id", Id(DayOfWeek.Sunday));
            Out.Show("Id", Id(new Structs.B3 { A = 1 }));
            Out.Show("Id", Id((int?)3));
            Out.Show("Id", Id((int?)null));
            Out.Show("Id", Id(new[] { 1 }));
            Out.Show("Default", Default<double>());
            Out.Show("Default", Default<string>());
            Out.Show("Default", Default<Structs.Pair<int, string>>());
            Out.Show("New", New<Structs.B2>());
            Out.Show("New", New<object>());
            Out.Show("Class", Class("c"));
            Out.Show("Struct", Struct(true));
            Out.Show("Maybe", Maybe('m'));
            Out.Show("Max", Max(3, 4));
            Out.Show("Max", Max("a", "b"));
            Out.Show("Max", Max(new Num(6), new Num(5)));
            Out.Show("Text", Text(7));
            Out.Show("Text", Text(new Num(8)));
            Out.Show("Text", Text("ref"));
            Out.Show("Compare", Compare(new Num(1), new Num(4)));
            Out.Show("Same", Same(new Num(2), new Num(2)));
            Out.Show("List", List(1L).Count);

            var box = new Box<int>(5);
            Out.Show("Get", box.Get());
            Out.Show("Last", Box<int>.Last());
            Out.Show("Self", box.Self().Get());
            Out.Show("Item", box[0]);
            box[0] = 6;
            Out.Show("To", box.To(x => x + 0.5).Get());
            Out.Show("With", box.With("w"));
            var refs = new Box<string>("r");
            Out.Show("Get", refs.Get());
            Out.Show("Item", refs[1]);
            Out.Show("With", refs.With(1.0f));
            Out.Show("Last", Box<string>.Last());
            var inner = new Box<char>.Inner<bool> { Outer = 'o' };
            Out.Show("Third", inner.Third((short)3));
            Out.Show("First", inner.First());
            Out.Show("Copy", new Box<byte>.Part { Item = 9 }.Copy());
        }
    }

    static class Operators
    {
        public static void Run()
        {
            Num a = 3;
            Num b = a + 4;
            b++;
            Out.Show("b", (int)b);
            Out.Show("-b", -b);
            Out.Show("==", a == b);
            Out.Show("!=", a != b);
            if (a)
                Out.Show("true", a.GetHashCode());
            Out.Show("Equals", a.Equals((object)b));
        }
    }

    // ---- references, pointers, byref-like types: not inspected by default ------------------------------------

    static unsafe class NotInspected
    {
        static int[] slots = { 1, 2, 3 };
        static int field = 4;

        static ref int Slot(int index) { return ref slots[index]; }
        static ref string Text(string[] items) { return ref items[0]; }
        static ref T Generic<T>(T[] items) { return ref items[0]; }
        static int* Pointer(int* p) { return p + 1; }
        static void* Void() { return null; }
        static Structs.B8* Struct() { return (Structs.B8*)0; }
        static int ThroughPointer(int* p) { return *p; }
        static RuntimeTypeHandle Handle() { return typeof(int).TypeHandle; }

        public static void Run()
        {
            Slot(1) = 20;
            Out.Show("Slot", slots[1]);
            var items = new[] { "x" };
            Text(items) = "y";
            Out.Show("Text", items[0]);
            Generic(items) += "z";
            Out.Show("Generic", items[0]);
            fixed (int* p = slots)
                Out.Show("Pointer", ThroughPointer(Pointer(p)));
            Out.Show("Void", Void() == null);
            Out.Show("Struct", Struct() == null);
            Out.Show("Handle", Type.GetTypeFromHandle(Handle()).FullName);
            Out.Show("field", field);
        }
    }

    // ---- members -------------------------------------------------------------------------------------------

    class Members
    {
        static readonly int initialised;
        int number = 1;
        string[] names = { "zero", "one" };
        static volatile int counter = 5;
        static volatile string note = "v";

        static Members() { initialised = Seed(); }
        ~Members() { Touch(); }
        static int Seed() { return 99; }
        static void Touch() { }

        public int Number { get { return number; } set { number = value; } }
        public string Auto { get; set; }
        public static int Initialised { get { return initialised; } }
        public bool ReadOnly { get; } = true;
        public int Arrow => number * 2;
        public string this[int index] { get { return names[index]; } set { names[index] = value; } }
        public int this[string a, string b] { get { return a.Length + b.Length; } }
        public event Action Changed { add { } remove { } }
        public static int Counter() { return counter; }
        public static string Note() { return note; }
        public Members Fluent() { return this; }
        public static int Optional(int a = 1, params int[] more) { return a + more.Length; }
        public static bool Outs(out int a, ref int b, in int c) { a = c; b++; return true; }
        public static int Checked(int a) { return checked(a + 1); }
        public static int Unchecked(int a) { return unchecked(a + 1); }
        public static byte Narrow(int a) { return unchecked((byte)a); }
        public static uint Größe() { return 1; }
        [MethodImpl(MethodImplOptions.Synchronized)]
        public static int Synchronized() { return 1; }
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int NoInlining() { return 2; }
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int Inlined() { return 3; }
        public static unsafe int Stack() { int* p = stackalloc int[3]; p[0] = 1; p[1] = 2; p[2] = 3; return p[0] + p[1] + p[2]; }
        public static object Overload(int a) { return a; }
        public static object Overload(string a) { return a; }
        [DllImport("libc")] static extern int getppid();
        public static bool External() { return getppid() >= 0; }

        public static void Run()
        {
            var m = new Members { Auto = "auto" };
            GC.SuppressFinalize(m);
            Out.Show("Initialised", Initialised);
            m.Number = 7;
            Out.Show("Number", m.Number);
            Out.Show("Auto", m.Auto);
            Out.Show("ReadOnly", m.ReadOnly);
            Out.Show("Arrow", m.Arrow);
            m[1] = "uno";
            Out.Show("Item", m[1]);
            Out.Show("Item", m["a", "bc"]);
            m.Changed += Touch;
            Out.Show("Counter", Counter());
            Out.Show("Note", Note());
            Out.Show("Fluent", m.Fluent() == m);
            Out.Show("Optional", Optional());
            Out.Show("Optional", Optional(5, 6, 7));
            int a, b = 1;
            Out.Show("Outs", Outs(out a, ref b, 9));
            Out.Show("Outs", a * 10 + b);
            Out.Show("Checked", Checked(1));
            Out.Show("Unchecked", Unchecked(int.MaxValue));
            Out.Show("Narrow", Narrow(511));
            Out.Show("Groesse", Größe());
            Out.Show("Synchronized", Synchronized());
            Out.Show("NoInlining", NoInlining());
            Out.Show("Inlined", Inlined());
            Out.Show("Stack", Stack());
            Out.Show("Overload", Overload(1));
            Out.Show("Overload", Overload("1"));
            Out.Show("External", External());
        }
    }

    // ---- dispatch ------------------------------------------------------------------------------------------

    interface IShape { double Area(); string Name { get; } }
    abstract class Shape : IShape
    {
        public abstract double Area();
        public virtual string Name { get { return "shape"; } }
        public virtual Shape Scale(double by) { return this; }
    }
    class Square : Shape, ICloneable
    {
        protected double side;
        public Square(double side) { this.side = side; }
        public override double Area() { return side * side; }
        public override string Name { get { return "square/" + base.Name; } }
        public override Shape Scale(double by) { return new Square(side * by); }
        object ICloneable.Clone() { return new Square(side); }
    }
    sealed class Dot : Square, IShape
    {
        public Dot() : base(0) { }
        double IShape.Area() { return -1; }
        public new string Name { get { return "dot"; } }
    }
    static class Extensions
    {
        public static int Twice(this int a) { return a * 2; }
        public static bool IsSquare(this IShape shape) { return shape is Square; }
        public static T Second<T>(this T[] items) { return items[1]; }
    }
    delegate int Binary(int a, int b);

    class Outer
    {
        public class Inner
        {
            public int Deep() { return 1; }
            public struct Most { public int Deeper() { return 2; } }
        }
    }

    static class Dispatch
    {
        static int Add(int a, int b) { return a + b; }
        static Binary GetAdd() { return Add; }
        static Func<int, int> Adder(int n) { return x => x + n; }

        public static void Run()
        {
            Shape square = new Square(2);
            IShape shape = new Square(3);
            IShape dot = new Dot();
            Out.Show("Area", square.Area());
            Out.Show("Area", shape.Area());
            Out.Show("Area", dot.Area());
            Out.Show("Name", square.Name);
            Out.Show("Name", dot.Name);
            Out.Show("Scale", square.Scale(2).Area());
            Out.Show("Clone", ((ICloneable)square).Clone() is Square);
            Out.Show("Twice", 21.Twice());
            Out.Show("IsSquare", dot.IsSquare());
            Out.Show("Second", new[] { 'a', 'b' }.Second());
            Out.Show("GetAdd", GetAdd()(2, 3));
            Out.Show("Adder", Adder(10)(5));
            Out.Show("Deep", new Outer.Inner().Deep());
            Out.Show("Deeper", new Outer.Inner.Most().Deeper());
        }
    }

    // ---- flow ----------------------------------------------------------------------------------------------

    static class Flow
    {
        // The order in which handlers ran.
        static string trace = "";
        static void Mark(int n) { trace += n.ToString(CultureInfo.InvariantCulture); }

        static int If(int a) { if (a < 0) return -1; if (a > 0) return 1; return 0; }
        static string Ternary(bool a) { return a ? "yes" : "no"; }
        static bool And(int a) { return a > 1 && a < 5 || a == 9; }
        static string Coalesce(string a) { return a ?? "none"; }
        static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
        static int Gcd(int a, int b) { return b == 0 ? a : Gcd(b, a % b); }

        static string Switch(int a)
        {
            switch (a)
            {
                case 0: return "zero";
                case 1: return "one";
                case 2:
                case 3: return "few";
                case 100: return "hundred";
                default: return "many";
            }
        }

        static int SwitchText(string a)
        {
            switch (a)
            {
                case "one": return 1;
                case "two": return 2;
                case "three": return 3;
                case "four": return 4;
                case "five": return 5;
                case "six": return 6;
                case "seven": return 7;
                case null: return -1;
            }
            return 0;
        }

        static string Pattern(object a)
        {
            if (a is int i)
                return i > 10 ? "big" : "int";
            return a is string s ? s : "other";
        }

        static int Loop(int[] items, int wanted)
        {
            for (int i = 0; i < items.Length; i++)
            {
                if (items[i] == wanted)
                    return i;
            }
            return -1;
        }

        static int Goto(int a)
        {
        again:
            if (a % 7 == 0)
                goto done;
            a++;
            goto again;
        done:
            return a;
        }

        static int TryFinally(int a)
        {
            try { return a + 1; }
            finally { Mark(1); }
        }

        static string TryCatch(string a)
        {
            try { return int.Parse(a, CultureInfo.InvariantCulture) > 0 ? "positive" : "not positive"; }
            catch (FormatException) { return "not a number"; }
            catch (OverflowException) { return "too large"; }
        }

        static bool Filtered(Exception e) { return e.Message == "yes"; }
        static int Filter(string message)
        {
            try
            {
                try { throw new InvalidOperationException(message); }
                catch (InvalidOperationException e) when (Filtered(e)) { return 1; }
            }
            catch (Exception) { return 2; }
        }

        static int Nested(int a)
        {
            try
            {
                try
                {
                    if (a == 0)
                        return 10;
                    if (a == 1)
                        throw new ArgumentException("a");
                    try { if (a == 2) return 12; }
                    finally { Mark(2); }
                }
                catch (ArgumentException) { return 11; }
                finally { Mark(3); }
            }
            finally { Mark(4); }
            return 13;
        }

        static int InLoop()
        {
            foreach (int i in new List<int> { 1, 2, 3 })
            {
                try
                {
                    if (i == 2)
                        return i;
                }
                finally { Mark(5); }
            }
            return 0;
        }

        sealed class Resource : IDisposable
        {
            public int Value() { return 8; }
            public void Dispose() { Mark(6); }
        }
        static int Using() { using (var r = new Resource()) return r.Value(); }
        static int Lock(object gate) { lock (gate) { return 3; } }
        static int Throws(bool really) { if (really) throw new NotSupportedException(); return 4; }
        static int Always() { throw new NotSupportedException(); }
        static int Rethrow()
        {
            try { return Always(); }
            catch (NotSupportedException) { Mark(7); throw; }
        }

        public static void Run()
        {
            Out.Show("If", If(-5));
            Out.Show("If", If(5));
            Out.Show("If", If(0));
            Out.Show("Ternary", Ternary(true));
            Out.Show("Ternary", Ternary(false));
            Out.Show("And", And(3));
            Out.Show("And", And(7));
            Out.Show("Coalesce", Coalesce(null));
            Out.Show("Fib", Fib(5));
            Out.Show("Gcd", Gcd(48, 36));
            foreach (int i in new[] { 0, 1, 2, 3, 100, 5 })
                Out.Show("Switch", Switch(i));
            foreach (string s in new[] { "one", "seven", "eight", null })
                Out.Show("SwitchText", SwitchText(s));
            foreach (object o in new object[] { null, 11, 1, "s", 'c' })
                Out.Show("Pattern", Pattern(o));
            Out.Show("Loop", Loop(new[] { 4, 5, 6 }, 6));
            Out.Show("Loop", Loop(new[] { 4, 5, 6 }, 7));
            Out.Show("Goto", Goto(10));
            Out.Show("TryFinally", TryFinally(1));
            Out.Show("TryCatch", TryCatch("1"));
            Out.Show("TryCatch", TryCatch("-1"));
            Out.Show("TryCatch", TryCatch("x"));
            Out.Show("TryCatch", TryCatch("99999999999"));
            Out.Show("Filter", Filter("yes"));
            Out.Show("Filter", Filter("no"));
            for (int i = 0; i < 4; i++)
                Out.Show("Nested", Nested(i));
            Out.Show("InLoop", InLoop());
            Out.Show("Using", Using());
            Out.Show("Lock", Lock(new object()));
            Out.Show("Throws", Throws(false));
            try { Throws(true); } catch (NotSupportedException) { Mark(8); }
            try { Rethrow(); } catch (NotSupportedException) { Mark(9); }
            Out.Show("trace", trace);
        }
    }

    // A body with branches far over 127 bytes and a return in each arm.
    static class Long
    {
        static string Name(int n)
        {
            if (n < 0) return "negative";
            switch (n)
            {
                case 0: return "zero";
                case 1: return "one";
                case 2: return "two";
                case 3: return "three";
                case 4: return "four";
                case 5: return "five";
                case 6: return "six";
                case 7: return "seven";
                case 8: return "eight";
                case 9: return "nine";
                case 10: return "ten";
                case 11: return "eleven";
                case 12: return "twelve";
                case 13: return "thirteen";
                case 14: return "fourteen";
                case 15: return "fifteen";
                case 16: return "sixteen";
                case 17: return "seventeen";
                case 18: return "eighteen";
                case 19: return "nineteen";
                case 20: return "twenty";
            }
            if (n == 30) return "thirty";
            if (n == 40) return "forty";
            if (n == 50) return "fifty";
            if (n == 60) return "sixty";
            if (n == 70) return "seventy";
            if (n == 80) return "eighty";
            if (n == 90) return "ninety";
            return "large";
        }

        static long Mix(long a)
        {
            long b = 1, c = 2;
            for (int i = 0; i < 3; i++)
            {
                if (a == i) return a * 1000 + b;
                b = b * 31 + c; c = c * 17 + b; b ^= c >> 3; c ^= b << 5;
                b = b * 37 + c; c = c * 19 + b; b ^= c >> 7; c ^= b << 2;
                if (b == a) return b;
                b = b * 41 + c; c = c * 23 + b; b ^= c >> 5; c ^= b << 3;
                b = b * 43 + c; c = c * 29 + b; b ^= c >> 2; c ^= b << 7;
                if (c == a) return c;
                b &= 0xffff; c &= 0xffff;
            }
            return b + c;
        }

        public static void Run()
        {
            foreach (int n in new[] { -1, 0, 13, 20, 21, 30, 90, 91 })
                Out.Show("Name", Name(n));
            Out.Show("Mix", Mix(0));
            Out.Show("Mix", Mix(2));
            Out.Show("Mix", Mix(-1));
        }
    }

    // ---- what the compiler rewrites --------------------------------------------------------------------------

    static class Rewritten
    {
        static IEnumerable<int> Count(int n) { for (int i = 0; i < n; i++) yield return i; }
        static IEnumerator<string> Letters() { yield return "a"; yield break; }

        static int Lambda(int a)
        {
            Func<int, int> f = x => { if (x > 3) return x; return -x; };
            return f(a) + f(a + 1);
        }
        static Func<int> Closure(int start) { int n = start; return () => n++; }
        static int Captured() { var next = Closure(5); next(); return next(); }

        static async Task<int> Value(int n) { if (n > 0) await Task.CompletedTask; return n; }
        static async Task Nothing() { await Task.CompletedTask; }
        // Suspends until the caller opens the gate, then goes on within the caller's call: the order is fixed.
        static async Task<string> Late(Task gate) { await gate; return Text(1); }
        static string Text(int n) { return "t" + n; }
        static Task<int> Plain() { return Task.FromResult(6); }
        static async void Forget() { await Task.CompletedTask; }

        public static void Run()
        {
            int sum = 0;
            foreach (int i in Count(4))
                sum += i;
            Out.Show("Count", sum);
            var letters = Letters();
            Out.Show("Letters", letters.MoveNext());
            Out.Show("Letters", letters.Current);
            Out.Show("Letters", letters.MoveNext());
            Out.Show("Lambda", Lambda(3));
            Out.Show("Captured", Captured());
            Out.Show("Value", Value(100).Result);
            Nothing().Wait();
            var gate = new TaskCompletionSource<bool>();
            Task<string> late = Late(gate.Task);
            gate.SetResult(true);
            Out.Show("Late", late.Result);
            Out.Show("Plain", Plain().Result);
            Forget();
        }
    }

    // Four threads at once. Every line is the same, so their order does not show; a torn line would.
    static class Threads
    {
        static int Work() { return 7; }
        static int total;

        public static void Run()
        {
            var threads = new Thread[4];
            for (int i = 0; i < threads.Length; i++)
            {
                threads[i] = new Thread(() =>
                {
                    for (int n = 0; n < 25; n++)
                        Interlocked.Add(ref total, Work());
                });
                threads[i].Start();
            }
            foreach (Thread thread in threads)
                thread.Join();
            Out.Show("total", total);
        }
    }

    static class Program
    {
        static int Main(string[] args)
        {
            Out.Show("Value", NoNamespace.Value());
            Primitives.Run();
            References.Run();
            Arrays.Run();
            Enums.Run();
            Structs.Run();
            WellKnown.Run();
            Generics.Run();
            Operators.Run();
            NotInspected.Run();
            Members.Run();
            Dispatch.Run();
            Flow.Run();
            Long.Run();
            Rewritten.Run();
            Threads.Run();
#if NET10
            Net10.All.Run();
#endif
            return args.Length + 100;
        }
    }
}

#if NET10
// ---- what needs C# 8 to 14, or a runtime newer than Mono -------------------------------------------------

namespace Returns.Net10
{
    using System.Linq;
    using System.Numerics;

    ref struct Window
    {
        public Span<int> Items;
        public int Length { get { return Items.Length; } }
        public Window Half() { return new Window { Items = Items.Slice(Items.Length / 2) }; }
    }
    readonly ref struct Cell
    {
        public readonly ref int Target;
        public Cell(ref int target) { Target = ref target; }
        public int Read() { return Target; }
    }
    ref struct Generic<T> { public T Item; public Generic<T> Same() { return this; } public T Get() { return Item; } }

    // Byref-like values cannot be boxed, pointers and references are not inspected by default: no lines for what
    // returns them, lines for the others.
    static unsafe class ByRefLike
    {
        static int[] data = { 1, 2, 3, 4 };

        static Span<int> Slice() { return data.AsSpan(1); }
        static ReadOnlySpan<char> Chars(string s) { return s.AsSpan(1, 2); }
        static ReadOnlySpan<byte> Utf8() { return "utf8"u8; }
        static Window Window() { return new Window { Items = data }; }
        static Cell Cell() { return new Cell(ref data[2]); }
        static Generic<string> Wrap(string s) { return new Generic<string> { Item = s }; }
        static Span<T> Of<T>(T[] items) { return items; }
        static ref readonly int First() { return ref data[0]; }
        static ref Window Back(ref Window w) { return ref w; }
        static delegate*<int, int> Function() { return &Next; }
        static int Next(int a) { return a + 1; }
        static int Call(delegate*<int, int> f, int a) { return f(a); }
        static nint Address() { return 4096; }
        // `allows ref struct`: T may be a Span, so `box !!0` would not be valid for all T.
#if NET9_0_OR_GREATER
        static T Anything<T>(T value) where T : allows ref struct { return value; }
        static int Length<T>(T value) where T : IMeasured, allows ref struct { return value.Measure(); }
        interface IMeasured { int Measure(); }
        ref struct Measured : IMeasured { public int Measure() { return 12; } }
#endif

        public static void Run()
        {
            Out.Show("Slice", Slice()[0]);
            Out.Show("Chars", Chars("abcd").ToString());
            Out.Show("Utf8", Utf8().Length);
            Out.Show("Window", Window().Half().Length);
            Out.Show("Cell", Cell().Read());
            Out.Show("Wrap", Wrap("w").Same().Get());
            Out.Show("Of", Of(new[] { 'x' })[0]);
            Out.Show("First", First());
            Window w = Window();
            Back(ref w).Items = default;
            Out.Show("Back", w.Length);
            Out.Show("Call", Call(Function(), 1));
            Out.Show("Address", Address());
#if NET9_0_OR_GREATER
            Out.Show("Anything", Anything(5));
            Out.Show("Anything", Anything(data.AsSpan()).Length);
            Out.Show("Length", Length(new Measured()));
#endif
        }
    }

    interface IDefault
    {
        int Own() { return 5; }
        static int Shared() { return 6; }
        int Over() { return 7; }
        private int Hidden() { return 8; }
        int Uses() { return Hidden() + Over(); }
    }
    class Implements : IDefault { public int Over() { return 70; } }

    interface IUnit<TSelf> where TSelf : IUnit<TSelf>
    {
        static abstract TSelf One { get; }
        static abstract TSelf operator *(TSelf a, TSelf b);
        static virtual string Kind() { return "unit"; }
    }
    readonly struct Metre : IUnit<Metre>
    {
        public readonly int Count;
        public Metre(int count) { Count = count; }
        public static Metre One { get { return new Metre(1); } }
        public static Metre operator *(Metre a, Metre b) { return new Metre(a.Count * b.Count * 10); }
    }

    static class Interfaces
    {
        static T Square<T>() where T : IUnit<T> { return T.One * T.One; }
        static string Kind<T>() where T : IUnit<T> { return T.Kind(); }
        static T Sum<T>(T a, T b) where T : INumber<T> { return a + b; }

        public static void Run()
        {
            IDefault d = new Implements();
            Out.Show("Own", d.Own());
            Out.Show("Shared", IDefault.Shared());
            Out.Show("Uses", d.Uses());
            Out.Show("Square", Square<Metre>());
            Out.Show("Kind", Kind<Metre>());
            Out.Show("Sum", Sum(1, 2));
            Out.Show("Sum", Sum(0.5, 0.25));
        }
    }

    // Records: their properties, Deconstruct (void), operators, Equals. Not GetHashCode: strings hash differently
    // in each process.
    record Person(string Name, int Age);
    sealed record Pupil(string Name, int Age, int Form) : Person(Name, Age);
    record struct Point(int X, int Y);
    readonly record struct Size { public double Width { get; init; } public double Height { get; init; } }

    static class Records
    {
        static Person Make() { return new Person("Ada", 36); }
        static Person Older(Person p) { return p with { Age = p.Age + 1 }; }
        static Point Origin() { return new Point(3, 4); }
        static Size Size() { return new Size { Width = 0.5, Height = 2 }; }

        public static void Run()
        {
            Person p = Older(Make());
            Out.Show("Name", p.Name);
            Out.Show("Age", p.Age);
            Out.Show("Equal", p == new Person("Ada", 37));
            Out.Show("ToString", new Pupil("Bo", 7, 2).ToString());
            var (x, y) = Origin();
            Out.Show("Origin", x * 10 + y);
            Out.Show("Equal", Origin() == new Point(3, 4));
            Out.Show("Size", Size().Width);
        }
    }

    // `init` is `void modreq(IsExternalInit)`, `in`/`ref readonly` have modreq(InAttribute).
    class Modified
    {
        int value;
        public int Init { get { return value; } init { this.value = value; } }
        public required string Text { get; init; }
        public virtual ref readonly int Ref() { return ref value; }
        public virtual int In(in int a) { return a + value; }

        public static void Run()
        {
            var m = new Modified { Init = 3, Text = "t" };
            Out.Show("Init", m.Init);
            Out.Show("Text", m.Text);
            Out.Show("Ref", m.Ref());
            Out.Show("In", m.In(4));
        }
    }

    [InlineArray(3)]
    struct Three { int item; }

    static class Values
    {
        static Three Inline() { Three t = default; t[0] = 1; t[2] = 3; return t; }
        static DateOnly Day() { return new DateOnly(2024, 2, 29); }
        static Half Half() { return (Half)1.5; }
        static Int128 Wide() { return Int128.MaxValue; }
        static Index Index() { return ^2; }
        static nuint Unsigned() { return 7; }
        static unsafe Pair<int> Constrained() { return Make(1, 2); }
        static Pair<T> Make<T>(T a, T b) where T : unmanaged { return new Pair<T> { A = a, B = b }; }
        struct Pair<T> where T : unmanaged { public T A, B; }
        static int[] Collection() { return [1, 2, .. Three()]; }
        static int[] Three() { return [3, 4, 5]; }
        static int Params(params ReadOnlySpan<int> items) { return items.Length; }
        static dynamic Dynamic() { return 5; }

        public static void Run()
        {
            Three t = Inline();
            Out.Show("Inline", t[0] + t[1] + t[2]);
            Out.Show("Day", Day().DayNumber);
            Out.Show("Half", (double)Half());
            Out.Show("Wide", Wide() == Int128.MaxValue);
            Out.Show("Index", Index().Value);
            Out.Show("Unsigned", Unsigned());
            Out.Show("Constrained", Constrained());
            Out.Show("Collection", Collection());
            Out.Show("Params", Params(1, 2, 3));
            object o = Dynamic();
            Out.Show("Dynamic", o);
        }
    }

    static class Syntax
    {
        static string SwitchExpression(object o)
        {
            return o switch
            {
                null => "null",
                int and > 10 => "big",
                int => "int",
                string { Length: > 3 } s => s,
                string => "short",
                (int a, int b) => a == b ? "same" : "pair",
                int[] and [1, .., 9] => "list",
                _ => "other"
            };
        }

        static string When(object o)
        {
            switch (o)
            {
                case int i when i > 10: return "big";
                case int i: return "int " + i;
                case string s: return s;
                default: return "other";
            }
        }

        static int LocalFunction(int a)
        {
            return Square(a) + Static(1);
            int Square(int x) { return x * x + a; }
            static int Static(int x) { return x; }
        }

        static async ValueTask<int> Value(int n) { await Task.CompletedTask; return n; }
        static async IAsyncEnumerable<int> Numbers(int n)
        {
            for (int i = 0; i < n; i++) { await Task.CompletedTask; yield return i; }
        }
        static async Task<int> Total(int n)
        {
            int sum = 0;
            await foreach (int i in Numbers(n)) sum += i;
            return sum;
        }
        static int UsingDeclaration() { using var c = new CancellationTokenSource(); return 4; }
        static string Throw(string s) { return s ?? throw new ArgumentNullException(); }

        public static void Run()
        {
            foreach (object o in new object[] { null, 11, 1, "long text", "s", (2, 2), (1, 2), new[] { 1, 5, 9 }, 'c' })
                Out.Show("SwitchExpression", SwitchExpression(o));
            foreach (object o in new object[] { 11, 1, "s", 'c' })
                Out.Show("When", When(o));
            Out.Show("LocalFunction", LocalFunction(3));
            Out.Show("Value", Value(21).Result);
            Out.Show("Total", Total(3).Result);
            Out.Show("UsingDeclaration", UsingDeclaration());
            Out.Show("Throw", Throw("s"));
            Out.Show("Doubled", "ab".Doubled);
            Out.Show("Repeat", "ab".Repeat(2));
            Out.Show("Field", new WithField().Field);
        }
    }

    static class Blocks
    {
        extension(string s)
        {
            public int Doubled { get { return s.Length * 2; } }
            public string Repeat(int n) { return string.Concat(Enumerable.Repeat(s, n)); }
        }
    }

    class WithField { public string Field { get => field ?? "none"; set; } }

    static class All
    {
        public static void Run()
        {
            ByRefLike.Run();
            Interfaces.Run();
            Records.Run();
            Modified.Run();
            Values.Run();
            Syntax.Run();
        }
    }
}
#endif
