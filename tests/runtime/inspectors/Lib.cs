// Of the program, and of an inspector that has a method for its type.
namespace Lib
{
    public struct Point
    {
        public int X;
        public static Point Make(int x) { return new Point { X = x }; }
    }
}
