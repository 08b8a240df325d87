// What IL that calls in place of hooks has to get right: where a call begins and ends.
using System;
using System.Runtime;
using System.Runtime.CompilerServices;

public static class Passages
{
    static int Note(int x) { return x; }

    // Explicit tail calls once `ilpatch tail add` has been there: as deep as nothing else could be.
    static int Down(int n, int sum) { if (n == 0) { return Note(sum); } return Down(n - 1, sum + (n & 1)); }

    // The stack pointer at the end is not that of the beginning.
    static unsafe int Room(int n)
    {
        int sum = 0;
        for (int i = 0; i < n; i++) { byte* room = stackalloc byte[64 + i]; room[i] = 1; sum += Note(room[i]); }
        return sum;
    }

    // The first instruction is one that branches lead to.
    static void Loop(ref int n) { do { n--; } while (n > 0); }

    // Code of another tier takes over in the middle (OSR).
    static int Long(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += i & 1; if (i % 100000 == 0) { Note(i); } } return sum; }

    // The JIT makes a jump of the last call of what returns nothing.
    static void Nothing() { }
    static void NothingTwice() { Nothing(); Nothing(); }

    static ref int Reference(int[] of, int at) { return ref of[at]; }
    static Span<int> Part(int[] of) { return of.AsSpan(1); }
    static (long, string, double, int[]) Large(int n) { return (n, "large", n, new[] { n }); }
    static double Double(double d) { return d / 2; }
    static T Same<T>(T value) { return value; }
    [MethodImpl(MethodImplOptions.Synchronized)] static int Locked(int n) { return Note(n); }

    class Started { public static int Value = 1; static Started() { Value = Note(5); } public static int Get() { return Value; } }
    class Base { public readonly int Number; public Base(int number) { Number = number; } }
    class Derived : Base { public Derived(int number) : base(Note(number)) { } }

    static int Caught(int n)
    {
        try { if (n == 0) { throw new InvalidOperationException(); } return Caught(n - 1) + 1; }
        catch (InvalidOperationException) when (n == 3) { return Note(100); }
        finally { Note(n); }
    }

    public static int Main(string[] args)
    {
        int depth = args.Length > 0 ? int.Parse(args[0]) : 1000;
        int[] numbers = { 1, 2, 3 };
        int left = 10;
        Loop(ref left);
        NothingTwice();
        Console.WriteLine(Down(depth, 0));
        Console.WriteLine(Room(10) + Long(3000000) + left);
        Console.WriteLine(Reference(numbers, 1) + Part(numbers).Length + Large(7).Item4[0] + (int)Double(8));
        Console.WriteLine(Same("text") + Same(5) + Same(numbers).Length + Locked(3) + Started.Get());
        Console.WriteLine(new Derived(4).Number + Caught(6));
        Console.Error.WriteLine("compiled " + JitInfo.GetCompiledMethodCount());
        return 0;
    }
}
