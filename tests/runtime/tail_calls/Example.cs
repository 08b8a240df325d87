// A method that ends by calling another: what a profiler's hooks see of it depends on whether that is a tail call.

using System;
using System.Runtime.CompilerServices;
using System.Threading;

static class Example
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Callee(int x) { return x + 1; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Caller(int x) { return Callee(x * 2); }

    // Several in a row.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int First(int x) { return Caller(x + 1); }

    // A JIT that optimises makes a tail call of this one unasked: nothing says that the method has to be seen on the stack.
    static int Unasked(int x) { return Callee(x - 1); }

    // Managed code is called that goes on in native code.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Rest(int milliseconds) { Thread.Sleep(milliseconds); }

    // More arguments than registers hold, and its caller has no room for them: by helpers of the runtime.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Many(int a, long b, long c, long d, long e, long f, long g, long h, long i) { return a + b + c + d + e + f + g + h + i; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Few(int a) { return Many(a, 1, 2, 3, 4, 5, 6, 7, 8); }

    // The same in a chain: its frames do not add up, but for that of the first.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Wide(int a, long b, long c, long d, long e, long f, long g, long h, long i) { return Down(a); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Down(int a) { return a == 0 ? 0 : Wide(a - 1, 1, 2, 3, 4, 5, 6, 7, 8); }

    static void Main()
    {
        int first = First(20) + Unasked(0);
        Rest(1);
        long few = Few(6);
        int zero = Down(2);
        Console.Write(first + " " + (few + zero) + "\n");
    }
}
