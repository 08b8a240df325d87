// Returns structs of the other assembly, in all the ways that a type can stand in a signature.
using Lib;

public struct Holder<T> { public T Value; public Kind Kind; }

public static class Mid
{
    static Pair kept = Make.Own();

    public static Pair Plain() { return Make.Own(); }
    public static Wide Wide() { return Make.Wide(); }
    public static Pair? Maybe() { return Make.Own(); }
    public static Holder<Pair> Held() { return new Holder<Pair> { Value = Make.Own(), Kind = (Kind)7 }; }
    public static ref Pair Reference() { return ref kept; }
    public static Kind Kind() { return (Kind)7; }
    public static Pair[] Array() { return new Pair[3]; }

    public static void All() { Plain(); Wide(); Maybe(); Held(); Reference(); Kind(); Array(); }
}
