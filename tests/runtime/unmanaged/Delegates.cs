// What delegates call, of every kind that the runtime makes a stub for: not compiled yet, compiled, compiled again; and of those
// whose method is not known.

using System;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.InteropServices;
using System.Threading;

delegate int Number(int x);
delegate int OfFoo(Foo foo);
[UnmanagedFunctionPointer(CallingConvention.Cdecl)] delegate int Native(int x);

class Gen<T>
{
    public static T Id(T t) => t;
    public T Own(T t) => t;
    public virtual T Again(T t) => t;
    public static U Method<U>(U u) => u;
    public class In { public static int Deep(int x) => x; }
}

struct Size { public int X; public int Get() => X; }
interface IFoo { int Plain(); int Default() => 3; }
class Foo : IFoo { public virtual int Virtual() => 1; int IFoo.Plain() => 2; public int Own(int x) => x; }
static class Extensions { public static int Len(this string s) => s.Length; }

static class Called
{
    public static int sum;
    public static int Plain(int x) => x + 1;
    public static int Hot(int x) => sum += x;
    [DllImport("libc")] public static extern int abs(int x);
    [DllImport("libc", SetLastError = true)] public static extern int atoi(string text);
}

class Delegates
{
    static Delegate Static() => (Number)Called.Plain;
    static Delegate Instance() => (Number)new Foo().Own;
    static Delegate Lambda() => (Number)(x => x);
    static Delegate Closure(int more) => (Number)(x => x + more);
    static Delegate Anonymous() { var f = (ref int x) => x; return f; }
    static Delegate Virtual() => (Func<int>)new Foo().Virtual;
    static Delegate Explicit() { IFoo foo = new Foo(); return (Func<int>)foo.Plain; }
    static Delegate Default() { IFoo foo = new Foo(); return (Func<int>)foo.Default; }
    static Delegate OfStruct() => (Func<int>)new Size().Get;
    static Delegate Extension() => (Func<int>)"abc".Len;
    static Delegate OfReference() => (Func<string, string>)Gen<string>.Id;
    static Delegate OfNumber() => (Number)Gen<int>.Id;
    static Delegate OfInstance() => (Func<string, string>)new Gen<string>().Own;
    static Delegate OfMethod() => (Func<string, string>)Gen<int>.Method<string>;
    static Delegate OfNested() => (Number)Gen<string>.In.Deep;
    static Delegate Reflected() => typeof(Called).GetMethod("Plain").CreateDelegate<Number>();
    static Delegate Precompiled() => (Func<int, string>)"abc".Substring;
    static Delegate Intrinsic() => (Func<double, double>)Math.Sqrt;
    static Delegate Hot(Number hot) => hot;
    static Delegate Imported() => (Number)Called.abs;
    static Delegate ImportedText() => (Func<string, int>)Called.atoi;
    static Delegate OpenInterface() => Delegate.CreateDelegate(typeof(Func<IFoo, int>), null, typeof(IFoo).GetMethod("Plain"));
    static Delegate OpenGeneric() => Delegate.CreateDelegate(typeof(Func<Gen<string>, string, string>), null, typeof(Gen<string>).GetMethod("Again"));
    static Delegate TwoOpen() => Delegate.Combine(OpenVirtual(), OpenVirtual());

    static Delegate OpenVirtual() => Delegate.CreateDelegate(typeof(OfFoo), null, typeof(Foo).GetMethod("Virtual"));

    // not known
    static Delegate FromNative() => Marshal.GetDelegateForFunctionPointer<Native>(NativeLibrary.GetExport(NativeLibrary.Load("libc.so.6"), "abs"));
    static Delegate Compiled() => Expression.Lambda<Func<int>>(Expression.Constant(1)).Compile();
    static Delegate Dynamic()
    {
        var method = new DynamicMethod("dynamic", typeof(int), new[] { typeof(int) });
        var generator = method.GetILGenerator();
        generator.Emit(OpCodes.Ldarg_0);
        generator.Emit(OpCodes.Ret);
        return method.CreateDelegate(typeof(Number));
    }
    static Delegate Emitted()
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Emitted"), AssemblyBuilderAccess.RunAndCollect);
        var type = assembly.DefineDynamicModule("Emitted").DefineType("Type");
        var generator = type.DefineMethod("Go", MethodAttributes.Public | MethodAttributes.Static, typeof(int), new[] { typeof(int) }).GetILGenerator();
        generator.Emit(OpCodes.Ldarg_0);
        generator.Emit(OpCodes.Ret);
        return type.CreateType().GetMethod("Go").CreateDelegate<Number>();
    }
    static Delegate Mixed() { Number mixed = Called.Plain; return mixed + (Number)Dynamic(); }

    // Also once it has been compiled for the first time, while calls are counted, and once it has been compiled again.
    static void Calls(Number hot)
    {
        Hot(hot);
        hot(1);
        Hot(hot);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 100; i++) { hot(i); }
            Thread.Sleep(250);
            Hot(hot);
        }
        Hot(Called.Hot);
    }

    static void Main()
    {
        for (int round = 0; round < 2; round++)
        {
            Static(); Instance(); Lambda(); Closure(3); Anonymous(); Virtual(); Explicit(); Default(); OfStruct(); Extension(); OfReference(); OfNumber(); OfInstance();
            OfMethod(); OfNested(); Reflected(); Precompiled(); Intrinsic();
            Imported(); ImportedText(); OpenVirtual(); OpenInterface(); OpenGeneric(); TwoOpen(); FromNative(); Compiled(); Emitted(); Mixed();
            foreach (Number number in new[] { Static(), Instance(), Lambda(), Emitted(), Mixed(), Imported() }) { number(1); }
            Calls(Called.Hot);
        }
    }
}
