// What is inspected. Of the core library it uses so little that a program for .NET refers to System.Runtime alone.
public enum Shade { Red, Green }
public struct Point { public int X; public string Name; }

#if CSC
public ref struct Local { public int X; }
#endif

public static class Program
{
    static int Number() { return 42; }
    static string Text(int n) { return n == 42 ? "text" : null; }
    static Shade Green() { return Shade.Green; }
    static Point Place() { return new Point { X = 1, Name = "p" }; }
    static T Same<T>(T value) { return value; }
    static decimal? Maybe(bool some) { if (some) return 1.5m; return null; }
    static double[] Many() { return new double[3]; }

#if CSC
    static Local Here() { return new Local { X = 3 }; }
#endif

    public static int Main()
    {
#if CSC
        if (Here().X != 3) return 2;
#endif
        bool good = Text(Number()) != null && Green() != Shade.Red && Place().X == 1 && Same(7L) == 7 && Same("s") == "s" &&
                    Maybe(true).HasValue && !Maybe(false).HasValue && Many().Length == 3;
        return good ? 100 : 1;
    }
}
