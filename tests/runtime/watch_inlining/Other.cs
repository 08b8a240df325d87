// Methods of another assembly, for Callers.cs: one that is watched, and one that calls back.
using System.Diagnostics;
using System.Runtime.CompilerServices;

public static class Other
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Depth() => new StackTrace().FrameCount;

    public static volatile int zero;

    // The addition keeps the call from being a tail call, which would leave no frame either.
    public static int Tiny() => Depth() + zero;

    public static int Between() => Tiny() + zero;
}
