// What C# compilers make of a little of everything: iterators, async, closures, tuples, generics, patterns.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

[assembly: System.Reflection.AssemblyVersion("1.2.3.4")]

namespace N
{
    public struct Point { public int X, Y; public Point Twice() { return new Point { X = X * 2, Y = Y * 2 }; } }

    public class Box<T> where T : class, new()
    {
        public T Value { get; set; }
        public U Make<U>(Func<T, U> f) { return f(Value); }
        public static Box<T> Empty() { return new Box<T>(); }
    }

    public static class Program
    {
        public const string Name = "name";
        static readonly byte[] table = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
        public static IEnumerable<int> Count(int n) { for (int i = 0; i < n; i++) yield return i; }
        public static async Task<int> Later(int n) { await Task.Yield(); return n; }
        public static int Closure(int n) { Func<int, int> f = x => x + n; return f(table[0]); }
        public static string Text(object o)
        {
            switch (o as string) { case "one": return "1"; case "two": return "2"; case "three": return "3"; }
            try { return o.ToString(); } catch (NullReferenceException e) when (e.Message != null) { return Name; } finally { GC.KeepAlive(o); }
        }
        public static ref int First(int[] a) { return ref a[0]; }
        public static (int, string) Pair() { return (1, "\u00e4\ud83d\ude00"); }
        public static int? Maybe(bool b) { return b ? 5 : (int?)null; }
        public static unsafe int* Pointer(int* p) { return p; }
        public static int Main() { return Closure(1) == 2 ? 0 : 1; }
    }
}
