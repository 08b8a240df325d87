// Objects by their own types. Objects.expected has their lines.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;

enum Color : byte { Red = 1, Crimson = 1, Blue = 200 }
[Flags] enum Sides : short { None = 0, Left = 1, Right = 2, Both = 3, Top = 4, Last = -32768 }
enum Wide : ulong { Most = ulong.MaxValue }

class Shape { private int id = 7; public static int Count = 3; }
class Circle : Shape { public double Radius { get; set; } = 1.5; public string Name = "round"; public Shape Next; }
record Person(string Name, int Age) { public Person Friend { get; set; } }
class Empty { }
class Node { public Node Next; public int Value; }
class Pair<A, B> { public A First; public B Second; public Pair<B, A> Other; }
struct Point { public int X, Y; }
struct Held { public object It; public Color Color; public int[] Numbers; public Point? Maybe; }
class Deep { public Point P; public Held Held; public Deep Inner; public string Text = "t"; }
class Outer<T> { public class Inner { public T Value; } }
class Many { int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q; }
class Handler : MarshalByRefObject { public int Own = 5; }
class BadCode : InvalidOperationException { public int Code = 5; public BadCode(string text, Exception inner) : base(text, inner) { } }
class Narrow : Shape { public byte A = 1; public long B = 2; public byte C = 3; public char D = 'd'; public bool E = true; public Sides F = Sides.Both; }
unsafe class Pointers { public int* P = (int*)16; public IntPtr N = (IntPtr)32; }
delegate int Calculate(int x);
[InlineArray(2)] struct Two { int first; }
class HasTwo { public byte A = 1; public Two T; public int B = 2; }
class Text { public string Value = new string('x', 300); public string Other = "other"; }

static class Objects
{
    static object Plain() => new object();
    static object Number() => 42;
    static object Letter() => 'c';
    static object Boxed() => new Point { X = 1, Y = 2 };
    static object BoxedEnum() => Color.Blue;
    static IComparable Long() => 5L;
    static object Decimal() => 1.50m;
    static object String() => "text";
    static Color First() => Color.Crimson;
    static Color Unknown() => (Color)7;
    static Color? Perhaps() => Color.Red;
    static Sides Flags() => Sides.Both | Sides.Top;
    static Sides Rest() => Sides.Left | (Sides)64;
    static Sides Zero() => Sides.None;
    static Sides Negative() => Sides.Last | Sides.Left;
    static Wide Whole() => Wide.Most;
    static Shape Round() => new Circle { Next = new Shape() };
    static object NoObject() => null;
    static Person Ann() => new Person("Ann", 30) { Friend = new Person("Bob", 31) };
    static object Anonymous() => new { Name = "x", Age = 3, Within = new { Y = 1 } };
    static object Nothing() => new Empty();
    static object[] Nothings() => new object[] { new Empty(), new object(), null, 3, "s", Color.Red, new Point() };
    static Node Cycle() { var node = new Node { Value = 1 }; node.Next = new Node { Next = node, Value = 2 }; return node; }
    static object[] Snake() { var all = new object[2]; all[0] = all; return all; }
    static Node Chain() => new Node { Next = new Node { Next = new Node { Next = new Node() } } };
    static object Generic() => new Pair<int, string> { First = 1, Second = "b", Other = new Pair<string, int> { First = "c" } };
    static object Guids() => new Pair<Guid, Pair<Point, int>[]> { Second = new Pair<Point, int>[1] };
    static object Struct() => new Held { It = new Held { It = 1 }, Color = Color.Red, Numbers = new[] { 1, 2 }, Maybe = new Point() };
    static Deep DeepOne() => new Deep { Inner = new Deep { Inner = new Deep { Inner = new Deep() } } };
    static object Nested() => new Outer<string>.Inner { Value = "v" };
    static object Lots() => new Many();
    static object Stays() => new Handler();
    static Exception Simple() => new IOException("x");
    static Exception Bad() => new BadCode("bad", new IOException("x"));
    static object Aligned() => new Narrow();
    static object Addresses() => new Pointers();
    static Delegate Call() => new Calculate(x => x);
    static object[] Calls() => new object[] { new Calculate(x => x), new Func<int>(() => 1) };
    static object Lazily() => new Lazy<int>(() => 1);
    static object[] Core() => new object[] { new Lazy<int>(() => 1) };
    static object Inline() { var two = new HasTwo(); two.T[0] = 9; return two; }
    static object Long2() => new Text();
    static int[] Ints() => new[] { 1, 2, 3 };
    static int[] None() => new int[0];
    static byte[] Bytes() => new byte[100];
    static string[] Strings() => new[] { "a", null };
    static Array Grid() => new[,] { { 1, 2, 3 }, { 4, 5, 6 } };
    static Array NoGrid() => new int[0, 3];
    static Array Offset() => Array.CreateInstance(typeof(short), new[] { 2 }, new[] { 5 });
    static int[][] Jagged() => new[] { new[] { 1 }, null, new int[0] };
    static object[] Deeper() => new object[] { new object[] { new object[] { new object[] { 1 }, new object[0], new int[1, 2] } } };
    static Point[] Points() => new[] { new Point { X = 1 }, new Point { Y = 2 } };
    static Color[] Colors() => new[] { Color.Red, Color.Blue };
    static int?[] Maybes() => new int?[] { 1, null };
    static object Covariant() => (object[])new string[] { "s" };
    static unsafe int*[] Ptrs() => new int*[] { (int*)1 };
    static KeyValuePair<string, int[]>[] Structs() => new KeyValuePair<string, int[]>[1];

    static void Main(string[] args)
    {
        foreach (MethodInfo method in typeof(Objects).GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
        {
            if (method.GetParameters().Length == 0 && !method.Name.Contains('<')) { method.Invoke(null, null); }
        }
    }
}
