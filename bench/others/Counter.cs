// What each tool calls with a value: counts it. It is ilpatch's inspector, and the aspect's advice calls the same method. Not inlined: the JIT
// would see that the box of a value is not used, and leave it out.
using System.Runtime.CompilerServices;

public static class Counter
{
    public static long Values;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void MyInspector(object value, string method)
    {
        if (method.Length > 0) { Values++; }
    }
}
