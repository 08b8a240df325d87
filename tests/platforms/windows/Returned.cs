// What the x64 convention of Windows returns and passes, each in its way: structs of 1, 2, 4 and 8 bytes in rax, of any other size where the caller
// says, floating-point numbers in xmm0, vectors where the caller says or in memory; four arguments in registers, which others may follow.
// The last error of the system, which is the thread's, is not a hook's to change.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Threading;

[InlineArray(1)] struct B1 { byte a; }
[InlineArray(2)] struct B2 { byte a; }
[InlineArray(3)] struct B3 { byte a; }
[InlineArray(4)] struct B4 { byte a; }
[InlineArray(5)] struct B5 { byte a; }
[InlineArray(6)] struct B6 { byte a; }
[InlineArray(7)] struct B7 { byte a; }
[InlineArray(8)] struct B8 { byte a; }
[InlineArray(9)] struct B9 { byte a; }
[InlineArray(12)] struct B12 { byte a; }
[InlineArray(16)] struct B16 { byte a; }
[InlineArray(17)] struct B17 { byte a; }
[InlineArray(64)] struct B64 { byte a; }
struct Float1 { public float A; }
struct Float2 { public float A, B; }
struct Float3 { public float A, B, C; }
struct Double1 { public double A; }
struct Double2 { public double A, B; }
struct Mixed { public int A; public float B; }
struct Reference { public string A; }
struct References { public string A, B; }

static class Returned
{
    static byte next;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static T Filled<T>() where T : struct
    {
        T value = default;
        foreach (ref byte b in MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref Unsafe.As<T, B1>(ref value), Unsafe.SizeOf<T>()))) { b = ++next; }
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Bytes<T>(T value) where T : struct
    {
        return Convert.ToHexString(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref Unsafe.As<T, B1>(ref value), Unsafe.SizeOf<T>())));
    }

    [MethodImpl(MethodImplOptions.NoInlining)] static T Through<T>(T value) { return value; }
    // Optimized, and with --framework or not, its call is a jump.
    [MethodImpl(MethodImplOptions.NoInlining)] static T Jumping<T>(T value) { return Through(value); }

    static void Show<T>() where T : struct
    {
        T value = Filled<T>();
        Console.WriteLine("{0}: {1} {2} {3}", typeof(T).Name, Bytes(value), Bytes(Through(value)), Bytes(Jumping(value)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)] static sbyte Small(sbyte a, ushort b, bool c, char d) { return c ? (sbyte)(a + b + d) : a; }
    [MethodImpl(MethodImplOptions.NoInlining)] static float Half(float a, double b, float c, double d) { return (float)(a + 3 * b + 5 * c + 7 * d); }
    [MethodImpl(MethodImplOptions.NoInlining)] static double Alternating(int a, double b, long c, float d, double e, int f) { return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f; }
    [MethodImpl(MethodImplOptions.NoInlining)] static double TailAlternating(int a) { return Alternating(a, a / 2.0, a + 3, a / 4f, a / 8.0, a + 6); }
    [MethodImpl(MethodImplOptions.NoInlining)] static B17 Hidden(B17 a, long b, B3 c, double d, B16 e) { a[0] += (byte)(b + c[1] + d + e[15]); return a; }
    [MethodImpl(MethodImplOptions.NoInlining)] static Reference One(string a) { return new Reference { A = a }; }
    [MethodImpl(MethodImplOptions.NoInlining)] static References Two(string a, string b) { return new References { A = a, B = b }; }
    [MethodImpl(MethodImplOptions.NoInlining)] static Vector128<int> Wide(Vector128<int> a, int b) { return a + Vector128.Create(b); }
    [MethodImpl(MethodImplOptions.NoInlining)] static Vector256<int> Wider(Vector256<int> a, int b) { return a + Vector256.Create(b); }
    [MethodImpl(MethodImplOptions.NoInlining)] static ref int Place(int[] a, int b) { return ref a[b]; }
    [MethodImpl(MethodImplOptions.NoInlining)] static int Called(int a) { return a + 1; }

    sealed class Counter
    {
        int count;
        [MethodImpl(MethodImplOptions.NoInlining)] public B12 Next(B12 a, double b) { a[11] += (byte)(b + count++); return a; }
    }

    // Enough calls that hooks take memory and write files meanwhile, the first of them in a new thread.
    static void LastError()
    {
        int lost = 0, sum = 0;
        for (int i = 1; i <= 200000; i++)
        {
            Marshal.SetLastSystemError(i);
            sum += Called(i) - i;
            lost += Marshal.GetLastSystemError() != i ? 1 : 0;
        }
        Console.WriteLine("last errors: {0} lost of {1}", lost, sum);
    }

    static void Main()
    {
        for (int i = 0; i < 3; i++)
        {
            Show<B1>(); Show<B2>(); Show<B3>(); Show<B4>(); Show<B5>(); Show<B6>(); Show<B7>(); Show<B8>(); Show<B9>(); Show<B12>(); Show<B16>();
            Show<B17>(); Show<B64>(); Show<Float1>(); Show<Float2>(); Show<Float3>(); Show<Double1>(); Show<Double2>(); Show<Mixed>();
            Show<Guid>(); Show<Vector128<byte>>(); Show<Vector256<byte>>(); Show<Vector512<byte>>();
            Console.WriteLine("{0} {1} {2} {3}", Small((sbyte)-i, 7, i > 0, 'c'), Half(i, 2, i / 2f, 4), Alternating(i, 2, 3, 4, i / 8.0, 6), TailAlternating(i));
            Console.WriteLine(Bytes(Hidden(Filled<B17>(), i, Filled<B3>(), 2.5, Filled<B16>())));
            Console.WriteLine(One("one").A + Two("t", "wo").A + Two("t", "wo").B);
            Console.WriteLine("{0} {1}", Wide(Vector128.Create(1, 2, 3, 4), i), Wider(Vector256.Create(1, 2, 3, 4, 5, 6, 7, 8), i));
            int[] numbers = { 1, 2, 3 };
            Place(numbers, i) += 10;
            Console.WriteLine("{0} {1} {2} {3}", numbers[0], numbers[1], numbers[2], Bytes(new Counter().Next(Filled<B12>(), i)));
        }
        var thread = new Thread(LastError);
        thread.Start();
        thread.Join();
    }
}
