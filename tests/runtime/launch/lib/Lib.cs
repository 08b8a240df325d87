public enum Color { Red, Green }

public struct Pair { public int A, B; }

public ref struct Window { public int Left; }

public static class Lib
{
    public static int Twice(int x) { return x * 2; }
}
