// One method for each kind of answer; Main makes every one return.
using System;

namespace Sample
{
    public enum Color : byte { Red, Green }

    public struct Point { public int X, Y; }

    public static class Values
    {
        static readonly int[] slots = { 5 };

        public static int Number() => 42;
        public static string Text() => "text";
        public static Color Shade() => Color.Green;
        public static Point Place() => new Point { X = 1, Y = 2 };
        public static int? Maybe() => 7;
        public static DateTime Day() => new DateTime(2020, 1, 2);
        public static T Same<T>(T value) => value;
        public static Span<int> Numbers() => slots;
        public static ref int Slot() => ref slots[0];
        public static unsafe int* Address() => null;
        public static int Never() => throw new InvalidOperationException();
        public static void Nothing() { }
    }

    static class Program
    {
        static int Main()
        {
            Values.Nothing();
            unsafe { if (Values.Address() != null) return 1; }
            Values.Slot() = Values.Numbers().Length + Values.Number();
            Console.WriteLine("{0} {1} {2} {3} {4} {5}", new object[] {
                Values.Text(), Values.Shade(), Values.Place().Y, Values.Maybe(), Values.Day().Year,
                Values.Same(Values.Number()) });
            return 0;
        }
    }
}
