// The methods whose values every cell has to see, each called once. Their values appear nowhere else in the program, nor in what
// the framework does for it, so that they are known among those of `--framework`, too.
using System;
using System.Runtime.CompilerServices;

namespace Cell
{
    public enum Colour { Red = 424201, Aquamarine = 424202 }

    public struct Point
    {
        public int X, Y;
    }

    public static class Values
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Number() { return 424242; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static string Text() { return "cell-text"; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static double Half() { return 4242.5; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Colour Paint() { return Colour.Aquamarine; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Point Place()
        {
            Point place;
            place.X = 424203;
            place.Y = 424204;
            return place;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static T Echo<T>(T value) { return value; }

        // What a replacing inspector changes.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static long Given() { return 424301; }

        // Two returns and a throw, so that offsets move before the line that throws.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Fail(int depth)
        {
            if (depth == 0)
                throw new InvalidOperationException("fails");
            return Fail(depth - 1);
        }

        // Whether all values are right; a changed one is written. Lines of the stack are the program's output.
        public static void Check()
        {
            Point place = Place();
            if (Number() != 424242 || Text() != "cell-text" || Half() != 4242.5 || Paint() != Colour.Aquamarine ||
                place.X != 424203 || place.Y != 424204 || Echo(424205) != 424205 || Echo("cell-echo") != "cell-echo")
                Console.WriteLine("a value is wrong");
            if (Given() != 424301)
                Console.Error.WriteLine("the program got another value");
            try
            {
                Fail(2);
            }
            catch (InvalidOperationException exception)
            {
                Console.WriteLine(exception.StackTrace);
            }
        }
    }
}
