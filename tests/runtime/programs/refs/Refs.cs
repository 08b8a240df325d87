// What references and pointers lead to, shown by rules with byref="inspect" and pointers="inspect" (Refs.rules.xml).
//
// Each method returns a reference of another kind, or to another kind of place. The inspector has to see what is
// there at the time of the return, and null for a null reference; the caller has to get the same reference: it
// writes through it, and stdout shows where that went.
//
// The part that mcs (C# 7) can compile comes first; what needs a newer compiler or runtime is in namespace
// Refs.Net10 (#if NET10), so that Mono's expectation is expected.txt without it.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
// mcs cannot read `ref Name<...>`.
using IntText = Refs.Pair<int, string>;
using Nested = Refs.Pair<Refs.Pair<byte, char>, Refs.Point?>;
using Texts = System.Collections.Generic.IList<string>;
using IntList = System.Collections.Generic.List<int>;

namespace Refs
{
    // void methods only: nothing of the helper itself is inspected.
    static class Out
    {
        static bool bad;

        public static void Show(string name, object value)
        {
            Console.WriteLine(name + " = " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }

        public static void Is(string name, bool truth)
        {
            Console.WriteLine(name + (truth ? " is so" : " IS NOT SO"));
            bad |= !truth;
        }

        public static void Code(out int code) { code = bad ? 1 : 100; }
    }

    enum Small : byte { None, First = 1, Last = 200 }
    [Flags] enum Bits : long { One = 1, Two = 2, High = 1L << 40 }
    delegate int Binary(int a, int b);
    interface INode { ref int Count { get; } }

    struct Point { public int X, Y; }
    struct Big { public long A, B, C, D, E, F, G, H; }
    struct Mixed { public string Name; public double Value; public object Other; }
    struct Pair<A, B> { public A First; public B Second; }
    [StructLayout(LayoutKind.Sequential, Pack = 1)]
    struct Packed { public byte A; public long B; public double C; }

    // ---- each kind of T --------------------------------------------------------------------------------------

    static class Kinds
    {
        static bool truth = true;
        static char letter = 'x';
        static sbyte int8 = -128;
        static byte uint8 = 255;
        static short int16 = -32768;
        static ushort uint16 = 65535;
        static int int32 = int.MinValue;
        static uint uint32 = uint.MaxValue;
        static long int64 = long.MinValue;
        static ulong uint64 = ulong.MaxValue;
        static float single = 0.1f;
        static double twice = -1.0 / 3.0;
        static IntPtr native = new IntPtr(-5);
        static UIntPtr unsigned = new UIntPtr(5);
        static Small small = Small.Last;
        static Bits bits = Bits.Two | Bits.High;
        static DayOfWeek day = DayOfWeek.Friday;
        static Point point = new Point { X = 1, Y = 2 };
        static Big big = new Big { A = 1, D = 4, H = 8 };
        static Mixed mixed = new Mixed { Name = "m", Value = 0.5, Other = null };
        static Packed packed = new Packed { A = 1, B = -2, C = 3.5 };
        static Pair<int, string> pair = new Pair<int, string> { First = 1, Second = "s" };
        static Pair<Pair<byte, char>, Point?> pairs = new Pair<Pair<byte, char>, Point?> { First = new Pair<byte, char> { First = 7, Second = 'c' } };
        static int? some = 42;
        static int? none;
        static Point? somewhere = new Point { X = 3 };
        static decimal price = 12.50m;
        static DateTime date = new DateTime(2024, 2, 29);
        static Guid guid = new Guid("00112233-4455-6677-8899-aabbccddeeff");
        static string text = "text";
        static string noText;
        static object boxed = 5;
        static object nothing;
        static int[] ints = { 1, 2 };
        static string[,] matrix = new string[2, 3];
        static int[][] jagged = { new int[1] };
        static IComparable comparable = "compared";
        static IList<string> list = new List<string>();
        static Binary binary = Add;
        static Exception exception = new InvalidOperationException();
        static List<int> generic = new List<int>();

        static int Add(int a, int b) { return a + b; }

        static ref bool Truth() { return ref truth; }
        static ref char Letter() { return ref letter; }
        static ref sbyte Int8() { return ref int8; }
        static ref byte UInt8() { return ref uint8; }
        static ref short Int16() { return ref int16; }
        static ref ushort UInt16() { return ref uint16; }
        static ref int Int32() { return ref int32; }
        static ref uint UInt32() { return ref uint32; }
        static ref long Int64() { return ref int64; }
        static ref ulong UInt64() { return ref uint64; }
        static ref float Single() { return ref single; }
        static ref double Double() { return ref twice; }
        static ref IntPtr Native() { return ref native; }
        static ref UIntPtr Unsigned() { return ref unsigned; }
        static ref Small SmallEnum() { return ref small; }
        static ref Bits BitsEnum() { return ref bits; }
        static ref DayOfWeek Foreign() { return ref day; }
        static ref Point Struct() { return ref point; }
        static ref Big BigStruct() { return ref big; }
        static ref Mixed WithReferences() { return ref mixed; }
        static ref Packed PackedStruct() { return ref packed; }
        static ref long InPacked() { return ref packed.B; }
        static ref double InPackedToo() { return ref packed.C; }
        static ref IntText GenericStruct() { return ref pair; }
        static ref Nested NestedGeneric() { return ref pairs; }
        static ref int? Some() { return ref some; }
        static ref int? None() { return ref none; }
        static ref Point? Somewhere() { return ref somewhere; }
        static ref decimal Price() { return ref price; }
        static ref DateTime Date() { return ref date; }
        static ref Guid Guid() { return ref guid; }
        static ref string Text() { return ref text; }
        static ref string NoText() { return ref noText; }
        static ref object Boxed() { return ref boxed; }
        static ref object Nothing() { return ref nothing; }
        static ref int[] Ints() { return ref ints; }
        static ref string[,] Matrix() { return ref matrix; }
        static ref int[][] Jagged() { return ref jagged; }
        static ref IComparable Interface() { return ref comparable; }
        static ref Texts GenericInterface() { return ref list; }
        static ref Binary Delegate() { return ref binary; }
        static ref Exception Class() { return ref exception; }
        static ref IntList GenericClass() { return ref generic; }

        static void Numbers()
        {
            Truth() = false; Out.Show("truth", truth);
            Letter() = 'y'; Out.Show("letter", letter);
            Int8()++; Out.Show("int8", int8);
            UInt8()--; Out.Show("uint8", uint8);
            Int16()++; Out.Show("int16", int16);
            UInt16()--; Out.Show("uint16", uint16);
            Int32()++; Out.Show("int32", int32);
            UInt32()--; Out.Show("uint32", uint32);
            Int64()++; Out.Show("int64", int64);
            UInt64()--; Out.Show("uint64", uint64);
            Single() *= 2; Out.Is("single", single == 0.2f);
            Double() *= 3; Out.Show("twice", twice);
            Native() = new IntPtr(6); Out.Show("native", native.ToInt64());
            Unsigned() = new UIntPtr(7); Out.Show("unsigned", unsigned.ToUInt64());
        }

        static void Values()
        {
            SmallEnum() = Small.First; Out.Show("small", small);
            BitsEnum() |= Bits.One; Out.Show("bits", (long)bits);
            Foreign()++; Out.Show("day", day);
            Struct().Y = 20; Out.Show("point", point.X + point.Y);
            BigStruct().H++; Out.Show("big", big.A + big.D + big.H);
            WithReferences().Name += "!"; Out.Show("mixed", mixed.Name);
            PackedStruct().B++; Out.Show("packed", packed.B);
            InPacked()--; Out.Show("packed.B", packed.B);
            InPackedToo()--; Out.Show("packed.C", packed.C);
            GenericStruct().Second += "t"; Out.Show("pair", pair.Second);
            NestedGeneric().Second = point; Out.Show("pairs", pairs.Second.Value.Y);
            Some()++; Out.Show("some", some);
            None() = 1; Out.Show("none", none);
            Somewhere() = null; Out.Show("somewhere", somewhere.HasValue);
            Price() += 1; Out.Show("price", price);
            Date() = date.AddDays(1); Out.Show("date", date);
            Guid() = System.Guid.Empty; Out.Show("guid", guid);
        }

        static void Objects()
        {
            Text() += "s"; Out.Show("text", text);
            NoText() += "some"; Out.Show("noText", noText);
            Boxed() = "another"; Out.Show("boxed", boxed);
            Nothing() = 1.5; Out.Show("nothing", nothing);
            Ints() = new int[3]; Out.Show("ints", ints.Length);
            Matrix() = null; Out.Is("matrix", matrix == null);
            Jagged()[0][0] = 9; Out.Show("jagged", jagged[0][0]);
            Interface() = 8; Out.Show("comparable", comparable);
            GenericInterface().Add("item"); Out.Show("list", list.Count);
            Out.Show("binary", Delegate()(1, 2));
            Class() = null; Out.Is("exception", exception == null);
            GenericClass().Add(1); Out.Show("generic", generic.Count);
        }

        public static void Run()
        {
            Numbers();
            Values();
            Objects();
        }
    }

    // ---- type parameters -------------------------------------------------------------------------------------

    class Cell<T>
    {
        T value;
        static T shared;
        T[] row = new T[3];

        public Cell(T value) { this.value = value; shared = value; row[1] = value; }
        public ref T Value() { return ref value; }
        public static ref T Shared() { return ref shared; }
        public ref T this[int index] { get { return ref row[index]; } }
        public ref U Other<U>(U[] items) { return ref items[0]; }
        public ref T Either<U>(ref T given, U flag) where U : struct { return ref given; }

        public struct Part { public T Item; }
        Part part;
        public ref Part Nested() { part.Item = value; return ref part; }
    }

    class Text : Cell<string> { public Text() : base("base") { } }

    static class Generics
    {
        static ref T Id<T>(ref T value) { return ref value; }
        static ref T First<T>(T[] items) where T : class { return ref items[0]; }
        static ref T Value<T>(T[] items) where T : struct { return ref items[0]; }
        static ref T? Maybe<T>(T?[] items) where T : struct { return ref items[0]; }
        static ref T[] Array<T>(T[][] items) { return ref items[0]; }

        static void Instances<T>(string name, T value, T other)
        {
            var cell = new Cell<T>(value);
            cell.Value() = other; Out.Show(name, cell.Value());
            Cell<T>.Shared() = other; Out.Show(name, Cell<T>.Shared());
            cell[2] = other; Out.Show(name, cell[1]);
            cell.Nested().Item = other;
            cell.Other(new[] { 5L }) = 1;
            cell.Either(ref value, 'f') = other; Out.Show(name, value);
            Id(ref other) = default(T); Out.Show(name, other);
            Array(new[] { new[] { value } }) = null;
        }

        public static void Run()
        {
            Instances("int", 1, 2);
            Instances("string", "one", "two");
            Instances("point", new Point { X = 1 }, new Point { X = 2 });
            Instances("enum", Small.First, Small.Last);
            Instances("maybe", (int?)1, null);
            Instances<object>("object", 'o', null);
            Instances("array", new[] { 1 }, new[] { 2 });
            Instances("double", 0.5, double.NaN);
            First(new[] { "f" }) = "g";
            Value(new[] { 1.25m })++;
            Maybe(new Small?[] { Small.Last }) = null;
            var text = new Text();
            text.Value() += "d"; Out.Show("text", text.Value());
        }
    }

    // ---- where references lead -------------------------------------------------------------------------------

    class Node : INode
    {
        public int Number;
        public Point Where;
        public Node Next;
        int count = 3;
        public ref int Count { get { return ref count; } }
        public virtual ref int Virtual() { return ref Number; }
        public ref Point Point() { return ref Where; }
        public ref int Deep() { return ref Next.Next.Where.Y; }
    }

    class Derived : Node
    {
        int own = 77;
        public override ref int Virtual() { return ref own; }
        public ref int Base() { return ref base.Virtual(); }
    }

    struct Holder : INode
    {
        public int[] Items;
        int unused;
        public ref int Count { get { unused++; return ref Items[0]; } }
        public ref int Of(int i) { return ref Items[i]; }
    }

    static class Places
    {
        [ThreadStatic] static int perThread;
        static readonly int[] numbers = { 10, 11, 12, 13 };
        static readonly Point[] points = { new Point { X = 1, Y = 2 }, new Point { X = 3, Y = 4 } };
        static readonly int[,] grid = { { 1, 2 }, { 3, 4 } };
        static object box = 1000;

        static ref int InArray(int i) { return ref numbers[i]; }
        static ref int InStruct(int i) { return ref points[i].Y; }
        static ref int InGrid(int i, int j) { return ref grid[i, j]; }
        static ref int PerThread() { return ref perThread; }
        static ref int Passed(ref int given) { return ref given; }
        static ref int PassedOn(ref int given) { return ref Passed(ref given); }
        static ref int Larger(ref int a, ref int b) { if (a > b) return ref a; return ref b; }
        static ref object InBox() { return ref box; }
        static ref string Covariant(object[] items) { return ref ((string[])items)[0]; }

        // Several rets, and branches to one.
        static ref int Choose(int which, ref int given, int[] items)
        {
            switch (which)
            {
                case 0: return ref given;
                case 1: return ref items[0];
                case 2: return ref perThread;
                case 3: return ref Passed(ref items[1]);
            }
            for (int i = 0; i < items.Length; i++)
                if (items[i] > which)
                    return ref items[i];
            return ref numbers[3];
        }

        // The try block leaves before the reference is returned.
        static ref int Try(string text, int[] items)
        {
            int index = 0;
            try
            {
                index = int.Parse(text, CultureInfo.InvariantCulture);
                items[index]++;
            }
            catch (FormatException)
            {
                return ref items[0];
            }
            catch (IndexOutOfRangeException)
            {
                index = 1;
            }
            finally
            {
                items[items.Length - 1]--;
            }
            return ref items[index];
        }

        static ref int Lock(object gate, int[] items)
        {
            lock (gate)
                return ref items[0];
        }

        static ref int Throws(int[] items) { return ref items[7]; }

        static void Arrays()
        {
            InArray(2) = 120; Out.Show("InArray", numbers[2]);
            InStruct(1)++; Out.Show("InStruct", points[1].Y);
            InGrid(1, 0) *= 2; Out.Show("InGrid", grid[1, 0]);
            PerThread() = 5; Out.Show("PerThread", perThread);
            int local = 50;
            Passed(ref local)++; Out.Show("Passed", local);
            PassedOn(ref local)++; Out.Show("PassedOn", local);
            int other = 60;
            Larger(ref local, ref other) = 1; Out.Show("Larger", other);
            Larger(ref local, ref other) = 2; Out.Show("Larger", local);
            InBox() = 2000; Out.Show("InBox", box);
            Out.Show("Covariant", Covariant(new[] { "c" }));
            try { Covariant(new object[1]) = ""; } catch (InvalidCastException) { Out.Is("InvalidCast", true); }
        }

        static void Flow()
        {
            int local = 1;
            var items = new[] { 20, 21, 22 };
            for (int which = 0; which < 4; which++)
                Choose(which, ref local, items)++;
            Choose(21, ref local, items)++;
            Choose(99, ref local, items)++;
            Out.Show("Choose", local + " " + items[0] + " " + items[1] + " " + items[2] + " " + perThread + " " + numbers[3]);
            Try("1", items)++;
            Try("x", items)++;
            Try("9", items)++;
            Out.Show("Try", items[0] + " " + items[1] + " " + items[2]);
            Lock(items, items)++;
            Out.Show("Lock", items[0]);
            try { Throws(items)++; } catch (IndexOutOfRangeException) { Out.Is("Throws", true); }
        }

        static int Count(INode node) { return node.Count++; }
        static ref int Constrained<T>(ref T node) where T : INode { return ref node.Count; }

        static void Members()
        {
            var node = new Node { Number = 7, Where = new Point { X = 8, Y = 9 } };
            node.Next = new Node { Next = new Node { Where = new Point { Y = 10 } } };
            node.Count++; Out.Show("Count", node.Count);
            node.Virtual()++; Out.Show("Virtual", node.Number);
            node.Point().X++; Out.Show("Point", node.Where.X);
            node.Deep()++; Out.Show("Deep", node.Next.Next.Where.Y);
            var derived = new Derived { Number = 70 };
            ((Node)derived).Virtual()++; Out.Show("Virtual", derived.Virtual());
            derived.Base()++; Out.Show("Base", derived.Number);
            Count(derived);
            var holder = new Holder { Items = new[] { 1, 2 } };
            holder.Count++; holder.Of(1)++;
            Count(holder);
            Constrained(ref holder)++;
            Constrained(ref derived)++;
            Out.Show("Holder", holder.Items[0] + " " + holder.Items[1]);
        }

        public static void Run()
        {
            Arrays();
            Flow();
            Members();
        }
    }

    // ---- unmanaged memory, null, pointers ----------------------------------------------------------------------

    unsafe class PointerTo<T>
    {
        void* address;
        public PointerTo(void* address) { this.address = address; }
        public void* Get() { return address; }
        public int* As() { return (int*)address; }
        public void** Nested<U>() { return (void**)address; }
    }

    static unsafe class Unmanaged
    {
        static int* memory;

        static ref int There() { return ref *memory; }
        static ref byte Inside() { return ref ((byte*)memory)[1]; }
        static ref Point Struct() { return ref *(Point*)memory; }
        static ref long Unaligned() { return ref *(long*)((byte*)memory + 1); }
        static ref int Stack(int* stack) { return ref stack[1]; }
        static ref int Null() { return ref *(int*)null; }
        static ref Big NullStruct() { return ref *(Big*)null; }
        static ref int NullOr(bool some) { if (some) return ref memory[2]; return ref *(int*)null; }

        static int* IntPointer(int* p) { return p + 1; }
        static void* VoidPointer(void* p) { return p; }
        static char** CharPointers(char** p) { return p; }
        static Point* StructPointer() { return (Point*)0x1234; }
        static byte* Last() { return (byte*)(-1L); }
        static bool* NullPointer() { return null; }
        static ref int* RefToPointer(int*[] items) { return ref items[0]; }
        static ref void* RefToVoidPointer(void*[] items) { return ref items[0]; }

        static void References()
        {
            memory = (int*)Marshal.AllocHGlobal(64);
            memory[0] = 0x01020304; memory[1] = 5; memory[2] = 6;
            There()++; Out.Show("There", memory[0]);
            Inside() = 0xff; Out.Show("Inside", memory[0]);
            Struct().Y++; Out.Show("Struct", memory[1]);
            Unaligned()++; Out.Is("Unaligned", memory[0] == 0x01030005);
            int* stack = stackalloc int[3];
            stack[1] = 31;
            Stack(stack)++; Out.Show("Stack", stack[1]);
            NullOr(true)++; Out.Show("NullOr", memory[2]);
            fixed (int* p = &NullOr(false)) Out.Is("NullOr", p == null);
            fixed (int* p = &Null()) Out.Is("Null", p == null);
            fixed (Big* p = &NullStruct()) Out.Is("NullStruct", p == null);
            try { Null()++; } catch (NullReferenceException) { Out.Is("NullReference", true); }
        }

        static void Pointers()
        {
            Out.Is("IntPointer", IntPointer((int*)0x1000) == (int*)0x1004);
            Out.Is("VoidPointer", VoidPointer((void*)0x77) == (void*)0x77);
            Out.Is("CharPointers", CharPointers((char**)0xfff8) == (char**)0xfff8);
            Out.Is("StructPointer", StructPointer() == (Point*)0x1234);
            Out.Is("Last", Last() + 1 == null);
            Out.Is("NullPointer", NullPointer() == null);
            var items = new int*[] { (int*)0x500 };
            RefToPointer(items)++; Out.Is("RefToPointer", items[0] == (int*)0x504);
            var voids = new void*[1];
            RefToVoidPointer(voids) = (void*)1; Out.Is("RefToVoidPointer", voids[0] == (void*)1);
            Out.Is("Get", new PointerTo<int>((void*)0x10).Get() == (void*)0x10);
            Out.Is("As", new PointerTo<string>((void*)0x20).As() == (int*)0x20);
            Out.Is("Nested", new PointerTo<string>((void*)0x30).Nested<object>() == (void**)0x30);
            Marshal.FreeHGlobal((IntPtr)memory);
        }

        public static void Run()
        {
            References();
            Pointers();
        }
    }

    static class Program
    {
        static int Main()
        {
            Kinds.Run();
            Generics.Run();
            Places.Run();
            Unmanaged.Run();
#if NET10
            Net10.Newer.Run();
#endif
            int code;
            Out.Code(out code);
            return code;
        }
    }
}

#if NET10
// ---- newer than C# 7 or Mono -----------------------------------------------------------------------------------

namespace Refs.Net10
{
    using System.Buffers;
    using System.Threading.Tasks;

    interface ISlot<TSelf> where TSelf : ISlot<TSelf>
    {
        static abstract ref int Shared { get; }
        ref readonly int Read();
        ref int Default() { return ref TSelf.Shared; }
    }

    class Slot : ISlot<Slot>
    {
        static int shared = 1;
        int own = 2;
        public static ref int Shared { get { return ref shared; } }
        public ref readonly int Read() { return ref own; }
    }

    ref struct Window
    {
        ref int target;
        Span<long> numbers;
        public Window(ref int target, Span<long> numbers) { this.target = ref target; this.numbers = numbers; }
        public ref int Target() { return ref target; }
        public ref long this[int index] { get { return ref numbers[index]; } }
        public bool IsNull() { return Unsafe.IsNullRef(ref target); }
    }

    [InlineArray(4)]
    struct Four { int first; }

    record struct Entry(int Id, string Name);

    class Open<T>
    {
        Pair<T, int> both;
        public ref Pair<T, int> Both { get { return ref both; } }
        public ref readonly T First { get { return ref both.First; } }
    }

    static unsafe class Newer
    {
        static int number = 5;
        static string text = "t";
        static Half half = (Half)1.5;
        static Int128 large = Int128.MaxValue;
        static Entry entry = new Entry(1, "e");
        static (int A, string B) tuple = (1, "b");
        static nint native = -1;
        static Four four;
        static Task<int> task = Task.FromResult(4);
        static delegate*<int, int> function = &Twice;

        static int Twice(int a) { return a * 2; }
        [UnmanagedCallersOnly] static void Callback() { }

        // Skipped: what is there cannot be boxed, or perhaps not.
        static ref Span<int> SpanRef(ref Span<int> span) { return ref span; }
        static ref Window WindowRef(ref Window window) { return ref window; }
        static ref T Anything<T>(ref T value) where T : allows ref struct { return ref value; }

        static ref readonly int ReadOnly() { return ref number; }
        static ref readonly string ReadOnlyText() { return ref text; }
        static ref readonly T ReadOnlyGeneric<T>(in T value) { return ref value; }
        static ref Half HalfRef() { return ref half; }
        static ref Int128 Large() { return ref large; }
        static ref Entry Record() { return ref entry; }
        static ref (int A, string B) Tuple() { return ref tuple; }
        static ref nint Native() { return ref native; }
        static ref Task<int> TaskRef() { return ref task; }
        static ref int InSpan(Span<int> span) { return ref span[1]; }
        static ref int InInline() { return ref four[2]; }
        static ref char InString() { return ref MemoryMarshal.GetReference("chars".AsSpan()); }
        static ref int Boxed(object box) { return ref Unsafe.Unbox<int>(box); }
        static ref int InDictionary(Dictionary<string, int> map, string key) { return ref CollectionsMarshal.GetValueRefOrNullRef(map, key); }
        static ref int Ternary(bool left, ref int a, ref int b) { return ref left ? ref a : ref b; }
        static ref readonly Pair<T, U> OpenBoth<T, U>(Pair<T, U>[] items) { return ref items[0]; }
        static ref T Null<T>() { return ref Unsafe.NullRef<T>(); }
        static ref T NullOr<T>(ref T value, bool some) { return ref some ? ref value : ref Unsafe.NullRef<T>(); }
        static ref Big NullBig() { return ref Unsafe.NullRef<Big>(); }
        static ref string NullText() { return ref Unsafe.NullRef<string>(); }
        static ref T As<T>(void* p) { return ref Unsafe.AsRef<T>(p); }

        static delegate*<int, int> Managed() { return &Twice; }
        static delegate* unmanaged<void> Native2() { return &Callback; }
        static delegate*<int, int> NoFunction() { return null; }
        static ref delegate*<int, int> FunctionRef() { return ref function; }

        static void Skipped()
        {
            Span<int> span = stackalloc int[2];
            SpanRef(ref span)[1] = 3; Out.Show("SpanRef", span[1]);
            int local = 4;
            var window = new Window(ref local, new long[] { 1, 2 });
            WindowRef(ref window).Target()++; Out.Show("WindowRef", local);
            window[1]++; Out.Show("Window", window[1]);
            Anything(ref local)++; Out.Show("Anything", local);
            Anything(ref span) = default; Out.Show("Anything", span.Length);
            var none = default(Window); Out.Is("IsNull", none.IsNull());
            Out.Is("IsNull", Unsafe.IsNullRef(ref none.Target()));
        }

        static void Kinds()
        {
            Unsafe.AsRef(in ReadOnly())++; Out.Show("ReadOnly", number);
            Out.Show("ReadOnlyText", ReadOnlyText());
            Out.Show("ReadOnlyGeneric", ReadOnlyGeneric(1.25f));
            Out.Show("ReadOnlyGeneric", ReadOnlyGeneric("rg"));
            HalfRef() = (Half)2; Out.Show("half", half);
            Large() = 1; Out.Show("large", large);
            Record().Name += "f"; Out.Show("entry", entry.Name);
            Tuple().A++; Out.Show("tuple", tuple.A);
            Native()--; Out.Show("native", native);
            TaskRef() = null; Out.Is("task", task == null);
            InInline() = 8; Out.Show("four", four[2]);
            Out.Show("InString", InString());
            Out.Show("OpenBoth", OpenBoth(new[] { new Pair<string, Small> { First = "ob", Second = Small.Last } }).First);
            Out.Show("OpenBoth", OpenBoth(new[] { new Pair<int, Point?> { First = 9 } }).First);
            var open = new Open<string>();
            open.Both.First = "of"; Out.Show("First", open.First);
            var numbers = new Open<double>();
            numbers.Both.First = 0.25; Out.Show("First", numbers.First);
        }

        static void Places()
        {
            var items = new[] { 1, 2, 3 };
            InSpan(items)++; Out.Show("InSpan", items[1]);
            InSpan(items.AsSpan(1))++; Out.Show("InSpan", items[2]);
            InSpan(stackalloc int[2])++;
            object box = 70;
            Boxed(box)++; Out.Show("Boxed", box);
            var map = new Dictionary<string, int> { { "a", 1 } };
            InDictionary(map, "a")++; Out.Show("InDictionary", map["a"]);
            Out.Is("InDictionary", Unsafe.IsNullRef(ref InDictionary(map, "b")));
            int a = 1, b = 2;
            Ternary(true, ref a, ref b) += 10;
            Ternary(false, ref a, ref b) += 20; Out.Show("Ternary", a + b);
            Out.Is("Null", Unsafe.IsNullRef(ref Null<int>()));
            Out.Is("Null", Unsafe.IsNullRef(ref Null<string>()));
            Out.Is("Null", Unsafe.IsNullRef(ref Null<Pair<int, string>>()));
            NullOr(ref a, true)++; Out.Is("NullOr", a == 12);
            Out.Is("NullOr", Unsafe.IsNullRef(ref NullOr(ref a, false)));
            Out.Is("NullOr", Unsafe.IsNullRef(ref NullOr(ref text, false)));
            Out.Is("NullBig", Unsafe.IsNullRef(ref NullBig()));
            Out.Is("NullText", Unsafe.IsNullRef(ref NullText()));
            long memory = 0x100000002;
            As<int>(&memory)++; As<Point>(&memory).Y++; Out.Show("As", memory);
            Slot.Shared++;
            Out.Show("Shared", Through<Slot>(new Slot()));
        }

        static int Through<T>(T slot) where T : ISlot<T>
        {
            T.Shared++;
            slot.Default()++;
            return slot.Read() + T.Shared;
        }

        static void Functions()
        {
            Out.Show("Managed", Managed()(4));
            Out.Is("Native2", Native2() != null);
            Out.Is("NoFunction", NoFunction() == null);
            FunctionRef() = null; Out.Is("FunctionRef", function == null);
            delegate*<ref int> there = &There;
            there()++; Out.Show("There", number);
        }

        static ref int There() { return ref number; }

        public static void Run()
        {
            Skipped();
            Kinds();
            Places();
            Functions();
        }
    }
}
#endif
