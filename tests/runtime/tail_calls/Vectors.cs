// Calls that may be tail calls, while there are vectors of 8 to 64 bytes: as arguments, in structs, under type parameters, and as values
// that only the caller sees.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

struct Pair<T> { public T A, B; }
struct Mixed<T> { public int Number; public T Vector; public double Real; }
struct Alone<T> { public T Vector; }

interface ISum { int Sum<T>(T a, T b, int n); }

static class Vectors
{
    const MethodImplOptions Kept = MethodImplOptions.NoInlining;

    static T Make<T>(int seed)
    {
        T value = default;
        Span<byte> bytes = System.Runtime.InteropServices.MemoryMarshal.CreateSpan(ref Unsafe.As<T, byte>(ref value), Unsafe.SizeOf<T>());
        for (int i = 0; i < bytes.Length; i++) { bytes[i] = (byte)(seed + 7 * i); }
        return value;
    }

    static int Hash<T>(T value)
    {
        int hash = 17;
        Span<byte> bytes = System.Runtime.InteropServices.MemoryMarshal.CreateSpan(ref Unsafe.As<T, byte>(ref value), Unsafe.SizeOf<T>());
        foreach (byte one in bytes) { hash = hash * 31 + one; }
        return hash;
    }

    // Two vectors through mutual recursion.
    [MethodImpl(Kept)] static int Even(Vector128<int> a, Vector128<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Odd(b + a, a, n - 1); }
    [MethodImpl(Kept)] static int Odd(Vector128<int> a, Vector128<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Even(b, a - b, n - 1); }
    [MethodImpl(Kept)] static int Even(Vector256<int> a, Vector256<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Odd(b + a, a, n - 1); }
    [MethodImpl(Kept)] static int Odd(Vector256<int> a, Vector256<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Even(b, a - b, n - 1); }
    [MethodImpl(Kept)] static int Even(Vector512<int> a, Vector512<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Odd(b + a, a, n - 1); }
    [MethodImpl(Kept)] static int Odd(Vector512<int> a, Vector512<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Even(b, a - b, n - 1); }
    [MethodImpl(Kept)] static int Even(Vector<int> a, Vector<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Odd(b + a, a, n - 1); }
    [MethodImpl(Kept)] static int Odd(Vector<int> a, Vector<int> b, int n) { if (n == 0) return Hash(a) ^ Hash(b); return Even(b, a - b, n - 1); }
    [MethodImpl(Kept)] static float Even(Vector4 a, Vector3 b, int n) { if (n == 0) return a.X + b.Z; return Odd(new Vector3(a.X, a.Y, a.W), new Vector4(b, 1) + a, n - 1); }
    [MethodImpl(Kept)] static float Odd(Vector3 a, Vector4 b, int n) { if (n == 0) return b.Y + a.Y; return Even(b * 0.5f, a + new Vector3(1, 2, 3), n - 1); }
    [MethodImpl(Kept)] static double Even(Quaternion a, Vector2 b, Plane c, double d, int n) { if (n == 0) return a.W + b.Y + c.D + d; return Odd(d + 1, c, a * a, b + b, n - 1); }
    [MethodImpl(Kept)] static double Odd(double d, Plane c, Quaternion a, Vector2 b, int n) { if (n == 0) return a.W + b.Y + c.D + d; return Even(Quaternion.Normalize(a), b, c, d, n - 1); }

    // Under type parameters, in structs.
    [MethodImpl(Kept)] static int Swap<T>(T a, T b, int n) { if (n == 0) return Hash(a) - 3 * Hash(b); return Swap(b, a, n - 1); }
    [MethodImpl(Kept)] static int Fall<T>(int n, Pair<T> pair) { if (n == 0) return Hash(pair); return Rise(new Pair<T> { A = pair.B, B = pair.A }, n - 1); }
    [MethodImpl(Kept)] static int Rise<T>(Pair<T> pair, int n) { if (n == 0) return Hash(pair); return Fall(n - 1, pair); }
    [MethodImpl(Kept)] static int Mix<T>(Mixed<T> a, Alone<T> b, int n) { if (n == 0) return Hash(a.Vector) + a.Number + Hash(b); return Mix(new Mixed<T> { Number = n, Vector = b.Vector, Real = a.Real }, new Alone<T> { Vector = a.Vector }, n - 1); }

    // Vectors that are no arguments of the callee: what it gets is made of them.
    [MethodImpl(Kept)] static int Last(int a, int b, double c, int d) { return a + 3 * b + (int)(5 * c) + 7 * d; }
    [MethodImpl(Kept)] static int Parts128(Vector128<int> v) { return Last(v.GetElement(3), v.GetElement(2), v.AsDouble().GetElement(1) > 0 ? 1 : 2, Vector128.Sum(v)); }
    [MethodImpl(Kept)] static int Parts256(Vector256<int> v) { return Last(v.GetElement(7), v.GetElement(2), v.GetUpper().GetElement(1), Vector256.Sum(v)); }
    [MethodImpl(Kept)] static int Parts512(Vector512<int> v) { return Last(v.GetElement(15), v.GetElement(2), v.GetUpper().GetElement(1), Vector512.Sum(v)); }
    [MethodImpl(Kept)] static int Text(string s) { return Last(s == "a text that is compared by vectors, 40 chars" ? 1 : 2, s == "a text that is compared by vectors, 41 chars" ? 1 : 2, s.Length, s.IndexOf('5')); }
    [MethodImpl(Kept)] static int Read(ref Vector256<int> v) { return Last(Vector256.Sum(v), v.GetElement(5), v.GetElement(6), (v + v).GetElement(1)); }
    static Vector256<int> shared;
    [MethodImpl(Kept)] static int Field(int n) { return Even(shared, shared + shared, n); }

    // By other ways.
    sealed class Sum : ISum
    {
        [MethodImpl(Kept)] int ISum.Sum<T>(T a, T b, int n) { if (n == 0) return Hash(a) - 3 * Hash(b); return ((ISum)this).Sum(b, a, n - 1); }
    }
    class Base { [MethodImpl(Kept)] public virtual int Go(int n, Vector256<int> v) { if (n == 0) return Hash(v); return Go(n - 1, v + v); } }
    sealed class Derived : Base { [MethodImpl(Kept)] public override int Go(int n, Vector256<int> v) { return base.Go(n, v * 3); } }
    static Func<Vector256<int>, Vector512<int>, int, int> function;
    [MethodImpl(Kept)] static int Invoke(Vector256<int> a, Vector512<int> b, int n) { if (n == 0) return Hash(a) + Hash(b); return function(a + a, b - Vector512.Create(a, a), n - 1); }
    [MethodImpl(Kept)] static Vector256<int> Returned(Vector256<int> a, Vector256<int> b, int n) { if (n == 0) return a ^ b; return Returned(b, a + b, n - 1); }

    static void Say(string name, object value) { Console.WriteLine(name + " " + value); }

    static void Generic<T>(string name)
    {
        for (int n = 0; n < 4; n++)
        {
            Say("Swap " + name, Swap(Make<T>(n), Make<T>(90), n));
            Say("Fall " + name, Fall(n, new Pair<T> { A = Make<T>(n), B = Make<T>(90) }));
            Say("Mix " + name, Mix(new Mixed<T> { Vector = Make<T>(n), Real = 1 }, new Alone<T> { Vector = Make<T>(90) }, n));
            Say("Sum " + name, ((ISum)new Sum()).Sum(Make<T>(n), Make<T>(90), n));
        }
    }

    static int Main(string[] args)
    {
        int rounds = args.Length > 0 ? int.Parse(args[0]) : 1;
        function = Invoke;
        for (int round = 0; round < rounds; round++)
        {
            for (int n = 0; n < 12; n++)
            {
                Say("128", Even(Make<Vector128<int>>(1), Make<Vector128<int>>(2), n));
                Say("256", Even(Make<Vector256<int>>(1), Make<Vector256<int>>(2), n));
                Say("512", Even(Make<Vector512<int>>(1), Make<Vector512<int>>(2), n));
                Say("Vector", Even(Make<Vector<int>>(1), Make<Vector<int>>(2), n));
                Say("floats", Even(new Vector4(1, 2, 3, 4), new Vector3(5, 6, 7), n));
                Say("Quaternion", Even(new Quaternion(1, 2, 3, 4), new Vector2(5, 6), new Plane(1, 2, 3, 4), 1.5, n));
                Say("Invoke", Invoke(Make<Vector256<int>>(1), Make<Vector512<int>>(2), n));
                Say("Returned", Hash(Returned(Make<Vector256<int>>(1), Make<Vector256<int>>(2), n)));
                Say("Go", new Derived().Go(n, Make<Vector256<int>>(n)));
                shared = Make<Vector256<int>>(n);
                Say("Field", Field(n));
                Say("Read", Read(ref shared));
                Say("Parts", Parts128(Make<Vector128<int>>(n)) + Parts256(Make<Vector256<int>>(n)) + Parts512(Make<Vector512<int>>(n)));
                Say("Text", Text(n % 2 == 0 ? "a text that is compared by vectors, 40 chars" : new string('5', n)));
            }
            Generic<Vector64<byte>>("64");
            Generic<Vector128<byte>>("128");
            Generic<Vector256<byte>>("256");
            Generic<Vector512<byte>>("512");
            Generic<Guid>("Guid");
            Generic<Matrix4x4>("Matrix4x4");
            Generic<(Vector256<int>, Vector256<int>)>("tuple");
            Generic<Alone<Vector256<int>>>("alone");
        }
        return 0;
    }
}
