// Two assemblies of one name. A value of the one, read as the other says, would show wrong numbers.
namespace Lib
{
#if SECOND
    public enum Kind : long { None }
    public struct Pair { public int B, A; }
    public struct Wide { public double Y; public Pair Inner; public Kind Kind; }
#else
    public enum Kind : int { None }
    public struct Pair { public int A, B; }
    public struct Wide { public Pair Inner; public double Y; public Kind Kind; }
#endif
    public static class Make
    {
        public static Pair Own() { return new Pair { A = 1, B = 2 }; }
        public static Wide Wide() { return new Wide { Inner = Own(), Y = 0.5, Kind = (Kind)7 }; }
    }
}
