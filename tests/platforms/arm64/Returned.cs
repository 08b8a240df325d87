// Returns structs of each kind that the calling convention of 64-bit Arm (AAPCS64 6.9) distinguishes: up to four equal floating-point numbers or
// vectors come in v0-v3, up to 16 bytes in x0 and x1, all others in memory at x8. "loop": goes on returning them.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Threading;

struct F1 { public float A; }
struct F2 { public float A, B; }
struct F3 { public float A, B, C; }
struct F4 { public float A, B, C, D; }
struct F5 { public float A, B, C, D, E; }
struct D1 { public double A; }
struct D2 { public double A, B; }
struct D3 { public double A, B, C; }
struct D4 { public double A, B, C, D; }
struct D5 { public double A, B, C, D, E; }
struct Nested { public F1 A; public F2 B; public float C; }
struct Unlike { public float A; public double B; }
struct Mixed { public double A; public int B; }
struct V2 { public Vector128<int> A, B; }
struct B1 { public byte A; }
struct B3 { public byte A, B, C; }
struct B7 { public int A; public short B; public byte C; }
struct L1 { public long A; }
struct L2 { public long A, B; }
struct L3 { public long A, B, C; }
struct Texts { public string A, B; }
struct Texts3 { public string A; public object B; public string C; }

static class Returned
{
    const MethodImplOptions Alone = MethodImplOptions.NoInlining;

    [MethodImpl(Alone)] static F1 Float1() { return new F1 { A = 1.5f }; }
    [MethodImpl(Alone)] static F2 Float2() { return new F2 { A = 1.5f, B = 2.5f }; }
    [MethodImpl(Alone)] static F3 Float3() { return new F3 { A = 1.5f, B = 2.5f, C = 3.5f }; }
    [MethodImpl(Alone)] static F4 Float4() { return new F4 { A = 1.5f, B = 2.5f, C = 3.5f, D = 4.5f }; }
    [MethodImpl(Alone)] static F5 Float5() { return new F5 { A = 1.5f, B = 2.5f, C = 3.5f, D = 4.5f, E = 5.5f }; }
    [MethodImpl(Alone)] static D1 Double1() { return new D1 { A = 1.25 }; }
    [MethodImpl(Alone)] static D2 Double2() { return new D2 { A = 1.25, B = 2.25 }; }
    [MethodImpl(Alone)] static D3 Double3() { return new D3 { A = 1.25, B = 2.25, C = 3.25 }; }
    [MethodImpl(Alone)] static D4 Double4() { return new D4 { A = 1.25, B = 2.25, C = 3.25, D = 4.25 }; }
    [MethodImpl(Alone)] static D5 Double5() { return new D5 { A = 1.25, B = 2.25, C = 3.25, D = 4.25, E = 5.25 }; }
    [MethodImpl(Alone)] static Nested NestedFloats() { return new Nested { A = Float1(), B = Float2(), C = 9.5f }; }
    [MethodImpl(Alone)] static Unlike UnlikeFloats() { return new Unlike { A = 1.5f, B = 2.25 }; }
    [MethodImpl(Alone)] static Mixed FloatAndInt() { return new Mixed { A = 1.25, B = 2 }; }
    [MethodImpl(Alone)] static Vector4 Numbers4() { return new Vector4(1, 2, 3, 4); }
    [MethodImpl(Alone)] static Vector128<int> Vector() { return Vector128.Create(1, 2, 3, 4); }
    [MethodImpl(Alone)] static V2 Vectors() { return new V2 { A = Vector(), B = Vector128.Create(5, 6, 7, 8) }; }
    [MethodImpl(Alone)] static B1 Byte1() { return new B1 { A = 250 }; }
    [MethodImpl(Alone)] static B3 Byte3() { return new B3 { A = 1, B = 2, C = 3 }; }
    [MethodImpl(Alone)] static B7 Byte7() { return new B7 { A = -1, B = -2, C = 3 }; }
    [MethodImpl(Alone)] static L1 Long1() { return new L1 { A = -1 }; }
    [MethodImpl(Alone)] static L2 Long2() { return new L2 { A = -1, B = long.MaxValue }; }
    [MethodImpl(Alone)] static L3 Long3() { return new L3 { A = -1, B = -2, C = -3 }; }
    [MethodImpl(Alone)] static decimal Decimal() { return 12.345m; }
    [MethodImpl(Alone)] static Int128 Whole128() { return Int128.MaxValue; }
    [MethodImpl(Alone)] static Texts Text2() { return new Texts { A = "a", B = "b" }; }
    [MethodImpl(Alone)] static Texts3 Text3() { return new Texts3 { A = "a", B = 7, C = "c" }; }
    [MethodImpl(Alone)] static double? Perhaps() { return 1.25; }

    static void All()
    {
        Float1(); Float2(); Float3(); Float4(); Float5();
        Double1(); Double2(); Double3(); Double4(); Double5();
        NestedFloats(); UnlikeFloats(); FloatAndInt(); Numbers4(); Vector(); Vectors();
        Byte1(); Byte3(); Byte7(); Long1(); Long2(); Long3(); Decimal(); Whole128(); Text2(); Text3(); Perhaps();
    }

    static void Main(string[] arguments)
    {
        All();
        if (arguments.Length != 0)
        {
            Console.WriteLine("ready");
            for (; ; Thread.Sleep(50))
            {
                All();
            }
        }
    }
}
