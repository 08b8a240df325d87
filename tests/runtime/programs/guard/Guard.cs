// Inspectors that throw, and guard="yes" (Guard.rules.xml): nothing of it is to be seen. Without a guard the exception
// comes through, which class Without shows by way of the stock inspector, since stdout has to stay the same.

using System;
using System.Collections.Generic;
using System.Globalization;

namespace Guard
{
    static class Out
    {
        static string Seen(string text) { return text; }
        public static void See(string name, object value)
        {
            Seen(name + " " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }
        public static void Show(string name, object value)
        {
            Console.WriteLine(name + " = " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }
    }

    enum Color : byte { Red = 3 }
    struct Pair
    {
        public int A;
        public string B;
        public int Total() { return A + B.Length; }
        public Pair Next() { A++; return this; }
        public static Pair operator +(Pair one, Pair two) { return new Pair { A = one.A + two.A, B = one.B + two.B }; }
    }

    class Box<T>
    {
        readonly T value;
        public Box(T value) { this.value = value; }
        public T Value { get { return value; } }
        public T[] Array() { return new[] { value }; }
        public KeyValuePair<T, U> Both<U>(U other) { return new KeyValuePair<T, U>(value, other); }
        public virtual Box<T> Self() { return this; }
        public class Nested<U> { public static U Get(U value) { return value; } }
    }

    sealed class Disposed : IDisposable
    {
        public static int Count;
        public void Dispose() { Count++; }
    }

    static class Values
    {
        static bool Bool() { return true; }
        static char Char() { return 'c'; }
        static sbyte SByte(int n) { return (sbyte)n; }
        static int Int() { return 5; }
        static ulong ULong() { return ulong.MaxValue; }
        static float Float() { return 1.1f; }
        static double Double() { return 1.1; }
        static IntPtr Native() { return new IntPtr(-2); }
        static decimal Decimal() { return 1.5m; }
        static string Text() { return "text"; }
        static string None() { return null; }
        static object Object() { return 1; }
        static Color Enum() { return Color.Red; }
        static Pair Struct() { return new Pair { A = 1, B = "b" }; }
        static int? Maybe(int n) { return n == 0 ? (int?)null : n; }
        static int[] Array() { return new[] { 1, 2 }; }
        static List<int> List() { return new List<int> { 1 }; }
        static T Parameter<T>(T value) { return value; }
        static void Void(int[] array) { array[0]++; }
        static int Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1); }
        static Func<int, int> Adder(int n) { return x => x + n; }
        static IEnumerable<int> Count(int n) { for (int i = 0; i < n; i++) yield return i; }
        public static void Run()
        {
            Out.Show("Bool", Bool());
            Out.Show("Char", Char());
            Out.Show("SByte", SByte(-1) + SByte(200));
            Out.Show("Int", Int());
            Out.Show("ULong", ULong());
            Out.Show("Float", Float());
            Out.Show("Double", Double());
            Out.Show("Native", Native().ToInt32());
            Out.Show("Decimal", Decimal());
            Out.Show("Text", Text() + None());
            Out.Show("Object", Object());
            Out.Show("Enum", Enum());
            Out.Show("Struct", Struct().Total() + Struct().Next().A + (Struct() + Struct()).B);
            Out.Show("Maybe", Maybe(0) + "," + Maybe(4));
            Out.Show("Array", Array().Length + List().Count);
            Out.Show("Parameter", Parameter(1) + Parameter("p") + Parameter(2.5m) + Parameter(Struct()).B);
            int[] array = { 1 };
            Void(array);
            Out.Show("Void", array[0]);
            Out.Show("Factorial", Factorial(5));
            Out.Show("Adder", Adder(1)(2));
            int sum = 0;
            foreach (int n in Count(4))
                sum += n;
            Out.Show("Count", sum);
            Box<string> box = new Box<string>("box");
            Out.Show("Box", box.Value + box.Array()[0] + box.Both(3).Value + box.Self().Both("s").Value);
            Out.Show("Box", new Box<int>(4).Value + Box<int>.Nested<string>.Get("n") + Box<string>.Nested<Pair>.Get(Struct()).A);
        }
    }

    static class Flows
    {
        static int Several(int n)
        {
            if (n == 0) return 10;
            if (n == 1) return 11;
            while (true)
            {
                if (n > 4) return n;
                n += 2;
                if (n == 6) return -6;
            }
        }
        static string Arms(int n)
        {
            switch (n)
            {
            case 0: return "zero";
            case 1: return "one";
            case 2: return "two";
            case 7: goto case 1;
            default: return "many";
            }
        }
        static int Caught(int n)
        {
            try { return 10 / n; }
            catch (DivideByZeroException) { return -1; }
        }
        static int Nested(int n)
        {
            int local = 0;
            try
            {
                try { local = 10 / n; return local; }
                catch (DivideByZeroException)
                {
                    try { throw new FormatException(); }
                    catch (FormatException) { local = 7; throw; }
                    finally { local++; }
                }
            }
            catch (FormatException) { return local; }
            finally { local = 100; }
        }
        static int Using()
        {
            using (new Disposed())
            using (new Disposed())
                return Disposed.Count;
        }
        static int Thrown(int n)
        {
            if (n == 0) throw new ArgumentException("own");
            return n;
        }
        static int Outer(int n)
        {
            try { return Thrown(n); }
            catch (ArgumentException e) { return e.Message.Length; }
        }
        static int Locked(object key) { lock (key) { return 3; } }
        static int Each(List<int> list)
        {
            foreach (int n in list)
                if (n > 1) return n;
            return 0;
        }
        // The same locals whatever path was taken before.
        static long Locals(int n)
        {
            int a = n, b = n + 1; long c = a * b; string d = "d" + n; Pair e = new Pair { A = n, B = d };
            for (int i = 0; i < 3; i++) { long f = c; c += i + f % 2; }
            return a + b + c + d.Length + e.A;
        }
        public static void Run()
        {
            for (int n = 0; n < 6; n++)
                Out.Show("Several", Several(n));
            for (int n = 0; n < 8; n++)
                Out.Show("Arms", Arms(n));
            Out.Show("Caught", Caught(0) + Caught(5));
            Out.Show("Nested", Nested(0) + Nested(5));
            Out.Show("Using", Using() + Disposed.Count);
            Out.Show("Outer", Outer(0) + Outer(20));
            Out.Show("Locked", Locked("key"));
            Out.Show("Each", Each(new List<int> { 1, 2, 3 }) + Each(new List<int>()));
            Out.Show("Locals", Locals(3));
        }
    }

    static unsafe class Refs
    {
        static int number = 3;
        static string text = "t";
        static ref int Number() { return ref number; }
        static ref string Text() { return ref text; }
        static ref T Element<T>(T[] array, int i) { return ref array[i]; }
        static int* Pointer(int* p) { return p; }
        public static void Run()
        {
            Number()++;
            Text() += "!";
            Out.Show("Number", number);
            Out.Show("Text", text);
            string[] texts = { "a", "b" };
            Element(texts, 1) = "c";
            Out.Show("Element", texts[1]);
            int n = 1;
            *Pointer(&n) = 9;
            Out.Show("Pointer", n);
        }
    }

    static class Any
    {
        static int Number() { return 1; }
        static string Text() { return "any"; }
        static Pair Struct() { return new Pair { A = 1, B = "b" }; }
        static T Parameter<T>(T value) { return value; }
        public static void Run()
        {
            Out.Show("Any", Number() + Text() + Struct().B + Parameter(2) + Parameter("p") + new Box<long>(3).Value);
        }
    }

    static class Changed
    {
        static int Number(int n) { return n; }
        static string Text(string s) { return s; }
        static double Double(double d) { return d; }
        static T Parameter<T>(T value) { return value; }
        public static void Run()
        {
            Out.See("Number", Number(1));
            Out.See("Number", Number(-1));
            Out.See("Text", Text("text"));
            Out.See("Text", Text(""));
            Out.See("Text", Text(null) ?? "null");
            Out.See("Double", Double(2.5));
            Out.See("Double", Double(0));
            Out.See("Parameter", Parameter(3L));
            Out.See("Parameter", Parameter<string>(null) ?? "null");
        }
    }

    static class BrokenClass
    {
        static int Number() { return 1; }
        static string Text() { return "broken"; }
        public static void Run() { Out.Show("Broken", Number() + Text() + Number()); }
    }

    static class Without
    {
        static int Number() { return 1; }
        public static void Run()
        {
            string seen = "nothing was thrown";
            try { Number(); }
            catch (Exception e) { seen = e.GetType().FullName; }
            Out.See("Without", seen);
        }
    }

    static class Program
    {
        static int Main()
        {
            Values.Run();
            Flows.Run();
            Refs.Run();
            Any.Run();
            Changed.Run();
            BrokenClass.Run();
            Without.Run();
            return 100;
        }
    }
}
