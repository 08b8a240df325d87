// An inspector with something of everything, to be embedded. Its line shows that all of it works.
using System;
using System.Collections.Generic;
using System.Diagnostics;
#if NET10
using System.Linq;
#endif
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

namespace Own.Tools
{
    [AttributeUsage(AttributeTargets.All)]
    public sealed class MarkAttribute : Attribute
    {
        public MarkAttribute(Type type) { Type = type; Name = "none"; }
        public Type Type { get; private set; }
        public string Name { get; set; }
        public Kind Kind;
    }

    [Flags]
    public enum Kind : byte { None, One = 1, Two = 2 }

    public interface IShow<in T> where T : class
    {
        string Show(T value);
    }

    public abstract class Base<T> : IShow<T> where T : class
    {
        protected abstract string Text(T value);
        string IShow<T>.Show(T value) { return Text(value); }
        public virtual event EventHandler Shown;
        protected void Raise() { if (Shown != null) Shown(this, EventArgs.Empty); }

        public class Inner<U>
        {
            public T First;
            public U Second;
            public override string ToString() { return First + ":" + Second; }
        }
    }

    [Mark(typeof(Shower), Name = "shower", Kind = Kind.Two)]
    public sealed class Shower : Base<object>
    {
        public const string Prefix = "own";
        public static readonly Shower Only = new Shower();
        static readonly long[] table = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x123456789ABC };
        protected override string Text(object value) { Raise(); return value == null ? "null" : value.ToString(); }
        public string this[int index, string text = "x"] { get { return text + index; } }

        public long Sum()
        {
            long sum = 0;
            foreach (long x in table) sum += x;
#if NET10
            ReadOnlySpan<byte> bytes = new byte[] { 1, 2, 3, 4, 5 };
            foreach (byte b in bytes) sum += b;
#endif
            return sum;
        }
    }

    [StructLayout(LayoutKind.Explicit, Size = 16)]
    struct Overlay
    {
        [FieldOffset(0)] public double D;
        [FieldOffset(0)] public long L;
        [FieldOffset(8), MarshalAs(UnmanagedType.I4)] public int I;
    }

#if NET10
    ref struct OnStack { public ReadOnlySpan<char> Text; public int Length() => Text.Length; }
#endif

#if CSC
    ref struct Plain { public int X; } // the compiler defines IsByRefLikeAttribute where a framework does not
#endif

    public delegate int Change(ref int value, out int more);

    public static class Inspect
    {
        [ThreadStatic] static bool busy;
        static int shown;

        static int Twice(ref int v, out int m) { m = 3; return v *= 2; }
        static IEnumerable<int> Numbers() { for (int i = 0; i < 3; i++) yield return i; }
        static async Task<int> Later() { await Task.Yield(); return 5; }

        static T Pick<T>(T[] items, Func<T, bool> which) where T : IComparable<T>
        {
            foreach (T i in items) if (which(i)) return i;
            return default(T);
        }

        public static void MyInspector(object value, string name)
        {
            if (busy) return;
            busy = true;
            try
            {
                Console.Error.WriteLine(Shower.Prefix + " " + ++shown + " " + name + " " + Line(value, name));
            }
            catch (InvalidOperationException e) when (e.Message != null) { Console.Error.WriteLine(e); }
            catch (Exception e) { Console.Error.WriteLine(e); }
            finally { busy = false; }
        }

        static string Line(object value, string name)
        {
            int v = 4, m, handled = 0;
            Change change = Twice;
            int r = change(ref v, out m);
            var overlay = new Overlay { D = 1.0 };
            var anonymous = new { A = 1, B = "two" };
            var mark = (MarkAttribute)Attribute.GetCustomAttribute(typeof(Shower), typeof(MarkAttribute));
            IShow<object> show = Shower.Only;
            EventHandler handler = (sender, e) => handled++;
            Shower.Only.Shown += handler;
            string line = show.Show(value) + "|" + r + m + "|" + overlay.L + "|" + anonymous + "|" + Kind.One + "|" +
                          mark.Type.Name + mark.Name + mark.Kind + "|" + Later().GetAwaiter().GetResult() + "|" +
                          Pick(new[] { 3, 1, 2 }, x => x < 3) + "|" + Shower.Only[7] + "|" + Shower.Only.Sum() + "|" +
                          new Base<string>.Inner<int> { First = "f", Second = 2 } + "|" + handled;
            Shower.Only.Shown -= handler;
            foreach (int i in Numbers()) line += i;
#if CSC
            line += new Plain { X = 6 }.X;
#endif
#if NET10
            line += string.Join(",", Numbers().Where(x => x > 0).Select(x => x * x));
            line += new OnStack { Text = "abc".AsSpan() }.Length();
            unsafe { delegate*<ref int, out int, int> f = &Twice; line += f(ref v, out m); }
#endif
            switch (name)
            {
                case "a": case "b": case "c": case "d": case "e": case "f": case "g": case "h": return line + "!";
                default: return line + " \ud800\u00e4".Length;
            }
        }
    }
}
