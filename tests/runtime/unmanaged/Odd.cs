// Values that are easily read wrong: layouts of every kind, and bytes that are no valid value of their type. Odd.expected has their
// lines. The stock inspector has them in the same way, or docs/PROFILER.md says why not.
using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Text;
using System.Threading;

enum EB : byte { A = 255 }
enum ES : sbyte { A = -1 }
enum EH : short { A = -2 }
enum EU : ushort { A = 65535 }
enum EI { A = -3 }
enum EUI : uint { A = 4294967295 }
enum EL : long { A = -5 }
enum EUL : ulong { A = ulong.MaxValue }
struct Enums { public EB a; public EL b; public ES c; public EUL d; public EH e; public EUI f; public EU g; public EI h; }
struct Empty { }
struct HasEmpty { public byte a; public Empty e; public long b; }
[InlineArray(5)] struct Bytes5 { byte e; }
[InlineArray(3)] struct Strs { string e; }
struct HasInline { public byte a; public Bytes5 b; public int c; public Strs s; public short d; }
struct I128 { public byte a; public Int128 b; public byte c; }
struct U128 { public UInt128 a; public byte b; public UInt128 c; }
struct NI128 { public byte a; public Int128? b; public int c; }
struct V { public byte a; public Vector<int> v; public int b; }
struct V128 { public byte a; public Vector128<int> v; public int b; }
struct V64 { public byte a; public Vector64<int> v; public int b; }
struct V256 { public byte a; public Vector256<int> v; public int b; }
struct V4 { public byte a; public Vector4 v; public Vector3 w; public byte b; }
[StructLayout(LayoutKind.Explicit)] struct Un { [FieldOffset(0)] public int i; [FieldOffset(0)] public float f; [FieldOffset(1)] public byte b; [FieldOffset(8)] public string s; [FieldOffset(8)] public object o; [FieldOffset(16)] public string t; }
[StructLayout(LayoutKind.Explicit, Size = 40, Pack = 1)] struct Ex { [FieldOffset(3)] public int i; [FieldOffset(9)] public double d; [FieldOffset(17)] public I128 x; }
[StructLayout(LayoutKind.Sequential, Pack = 1)] struct P1 { public byte a; public decimal b; public Guid c; public DateTime d; public int? e; public char f; }
[StructLayout(LayoutKind.Sequential, Pack = 2, Size = 3)] struct PS { public byte a; public int b; }
[StructLayout(LayoutKind.Sequential, Size = 1)] struct S1 { public long b; }
struct G<T> { public byte a; public T t; public byte b; }
struct G2<T, U> { public G<T> x; public G<U> y; public T z; }
class Outer<T>
{
    public struct In { public T a; public int b; }
    public struct In2<U> { public U u; public T t; public In i; }
}
unsafe struct Ptrs { public byte a; public int* p; public delegate*<int, int> f; public void** v; public nint n; public nuint u; public IntPtr i; }
ref struct Ref { public ref int r; public byte b; public Span<int> s; }
struct Misc { public Index i; public Range r; public DateTimeOffset o; public (int, string, byte) t; public Half h; public DateOnly d; public TimeOnly m; public Rune ru; public Complex c; public CancellationToken ct; public KeyValuePair<byte, long> kv; public ArraySegment<byte> seg; public Memory<int> mem; public BigInteger bi; public TimeSpan? ts; }
struct Vol { public volatile int a; public readonly long b; public static int S; public const int C = 4; public byte c; }
[StructLayout(LayoutKind.Auto)] struct Au { public byte a; public long b; public short c; public int d; public Guid g; public byte e; }
struct RefAl { public byte a; public string s; public Int128 i; public byte b; }
struct Mix { public bool a; public char b; public Au c; public decimal d; public object o; public byte e; }
unsafe struct Fixed { public byte a; public fixed int f[3]; public byte b; }
struct Bo { public bool a; public bool b; public char c; public char d; }
[StructLayout(LayoutKind.Explicit)] struct GE { [FieldOffset(4)] public G<byte> a; [FieldOffset(16)] public Nullable<long> b; }
record struct Rec(int X, string Y);

unsafe static class Odd
{
    static T As<F, T>(F f) where F : unmanaged where T : unmanaged { T t = default; System.Buffer.MemoryCopy(&f, &t, sizeof(T), Math.Min(sizeof(F), sizeof(T))); return t; }
    static Enums E1() => new Enums { a = EB.A, b = EL.A, c = ES.A, d = EUL.A, e = EH.A, f = EUI.A, g = EU.A, h = EI.A };
    static HasEmpty E2() => new HasEmpty { a = 1, b = 2 };
    static HasInline E3() { HasInline h = new HasInline { a = 1, c = 2, d = 3 }; h.b[0] = 9; h.s[0] = "x"; return h; }
    static I128 E4() => new I128 { a = 1, b = (Int128)2 << 64 | 3, c = 4 };
    static U128 E5() => new U128 { a = 1, b = 2, c = 3 };
    static NI128 E6() => new NI128 { a = 1, b = 2, c = 3 };
    static V E7() => new V { a = 1, v = new Vector<int>(7), b = 2 };
    static V128 E8() => new V128 { a = 1, v = Vector128.Create(1, 2, 3, 4), b = 2 };
    static V64 E9() => new V64 { a = 1, v = Vector64.Create(5, 6), b = 2 };
    static V256 E10() => new V256 { a = 1, v = Vector256.Create(8), b = 2 };
    static V4 E11() => new V4 { a = 1, v = new Vector4(1, 2, 3, 4), w = new Vector3(5, 6, 7), b = 8 };
    static Un E12() => new Un { i = 0x3f800000, s = "s", t = "t" };
    static Ex E13() => new Ex { i = 1, d = 2.5, x = new I128 { a = 3, b = 4, c = 5 } };
    static P1 E14() => new P1 { a = 1, b = 2.50m, c = new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), d = new DateTime(2020, 1, 2), e = 5, f = 'x' };
    static PS E15() => new PS { a = 1, b = 2 };
    static S1 E16() => new S1 { b = 3 };
    static G2<long, string> E17() => new G2<long, string> { x = new G<long> { a = 1, t = 2, b = 3 }, y = new G<string> { a = 4, t = "5", b = 6 }, z = 7 };
    static G2<G<G<byte>>, Int128> E18() => new G2<G<G<byte>>, Int128> { x = new G<G<G<byte>>> { a = 1, t = new G<G<byte>> { a = 2, t = new G<byte> { t = 3 } } }, y = new G<Int128> { t = 4 } };
    static Outer<string>.In E19() => new Outer<string>.In { a = "a", b = 1 };
    static Outer<byte>.In2<string> E20() => new Outer<byte>.In2<string> { u = "u", t = 1, i = new Outer<byte>.In { a = 2, b = 3 } };
    static Ptrs E21() => new Ptrs { a = 1, p = (int*)2, f = null, n = -1, u = 5, i = new IntPtr(16) };
    static int field = 42;
    static Ref E22() => new Ref { r = ref field, b = 3, s = new int[4] };
    static Misc E23() => new Misc { i = ^2, r = 1..^3, o = new DateTimeOffset(2020, 1, 2, 3, 4, 5, TimeSpan.FromHours(2)), t = (1, "two", 3), h = (Half)1.5, d = new DateOnly(2021, 2, 3), m = new TimeOnly(1, 2), ru = new Rune(), c = new Complex(1, 2), kv = new KeyValuePair<byte, long>(1, 2), mem = new int[2], bi = 5, ts = TimeSpan.FromDays(1) };
    static Vol E24() => new Vol { a = 1, c = 2 };
    static Au E25() => new Au { a = 1, b = 2, c = 3, d = 4, e = 5 };
    static RefAl E26() => new RefAl { a = 1, s = "s", i = 2, b = 3 };
    static Mix E27() => new Mix { a = true, b = 'b', c = E25(), d = 1.10m, e = 2 };
    static Fixed E28() { Fixed f = default; f.a = 1; f.f[0] = 2; f.f[1] = 3; f.b = 4; return f; }
    static bool E29() => As<byte, bool>(2);
    static Bo E30() => As<ulong, Bo>(0xD800_0000_02FF | 0xDC00UL << 32);
    static char E31() => '\uDFFF';
    static string E32() => "a\0b\uD800c\uDC00\uD83D\uDE00\u202E\r\n\"\\";
    static decimal E33() => As<G4, decimal>(new G4 { a = 0x00FF1234, b = 1, c = 2, d = 3 });
    static decimal E34() => -0.0m;
    static decimal E35() => decimal.MinValue;
    static decimal E36() => new decimal(1, 0, 0, true, 28);
    static DateTime E37() => As<ulong, DateTime>(ulong.MaxValue);
    static DateTime E38() => DateTime.MaxValue;
    static DateTime E39() => As<ulong, DateTime>(0x7FFF_FFFF_FFFF_FFFF);
    static TimeSpan E40() => TimeSpan.MinValue;
    static TimeSpan E41() => TimeSpan.MaxValue;
    static double E42() => BitConverter.Int64BitsToDouble(unchecked((long)0xFFF8_1234_5678_9ABC));
    static float E43() => BitConverter.Int32BitsToSingle(0x7FA00001);
    static double E44() => -0.0;
    static float E45() => -0.0f;
    static double E46() => double.Epsilon;
    static nint E47() => nint.MinValue;
    static nuint E48() => nuint.MaxValue;
    static EB E49() => (EB)7;
    static EL? E50() => EL.A;
    static (int, (long, byte)) E51() => (1, (2, 3));
    static int? E52() => null;
    static Guid? E53() => Guid.Empty;
    static (byte, Int128, (string, byte)?) E54() => (1, 2, ("x", 3));
    static GE E55() => new GE { a = new G<byte> { a = 1, t = 2, b = 3 }, b = 4 };
    static Rec E56() => new Rec(1, "y");
    static Int128 E57() => Int128.MinValue;
    static Half E58() => Half.NaN;
    static Index E59() => ^1;
    static Vector<byte> E60() => new Vector<byte>(3);
    static Empty E61() => default;
    static Strs E62() { Strs s = default; s[0] = "q"; return s; }
    static Bytes5 E63() { Bytes5 s = default; s[0] = 7; return s; }
    static DateTimeOffset E64() => DateTimeOffset.UnixEpoch;
    static ReadOnlySpan<byte> E66() => "abc"u8;
    static delegate*<void> E68() => null;
    static char* E69() => (char*)1;
    static bool? E70() => As<byte, bool>(2);
    static Vector2? E71() => new Vector2(1,2);
    static Un? E72() => E12();
    static Rune E73() => new Rune(0x1F600);
    struct G4 { public uint a, b, c, d; }

    static void Main()
    {
        E1(); E2(); E3(); E4(); E5(); E6(); E7(); E8(); E9(); E10(); E11(); E12();
        E13(); E14(); E15(); E16(); E17(); E18(); E19(); E20(); E21(); E22(); E23(); E24();
        E25(); E26(); E27(); E28(); E29(); E30(); E31(); E32(); E33(); E34(); E35(); E36();
        E37(); E38(); E39(); E40(); E41(); E42(); E43(); E44(); E45(); E46(); E47(); E48();
        E49(); E50(); E51(); E52(); E53(); E54(); E55(); E56(); E57(); E58(); E59(); E60();
        E61(); E62(); E63(); E64(); E66(); E68(); E69(); E70(); E71(); E72(); E73();
    }
}
