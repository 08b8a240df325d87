// Methods that call Tiny, and Mark, which the JIT inlines into optimised code: stack traces show it, since what is inlined has no frame. Each
// line of standard input has names of methods, which are called until their code is optimised, as Mark shows; the answer is how many frames
// come with Tiny in each.
using System;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

interface ITiny
{
    int Tiny();
}

sealed class Sealed : ITiny
{
    public int Tiny() => Other.Depth() + Other.zero;
}

struct Value : ITiny
{
    public int Tiny() => Other.Depth() + Other.zero;
}

class Open
{
    public virtual int Tiny() => Other.Depth() + Other.zero;
}

static class Generic<T>
{
    public static int Tiny() => Other.Depth() + Other.zero;
}

public static class Callers
{
    static int Tiny() => Other.Depth() + Other.zero;

    static int Mark() => Other.Depth() + Other.zero;

    // Of the one, and 10 for each of the other.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Frames(int tiny, int mark, int own) => tiny + 10 * mark - 11 * own;

    static int Between() => Tiny() + Other.zero;

    static int Of<T>(T of) where T : ITiny => of.Tiny();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static int Once() => Frames(Tiny(), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Tiers() => Frames(Tiny(), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Through() => Frames(Between(), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Across() => Frames(Other.Tiny(), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int AcrossThrough() => Frames(Other.Between(), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Devirtualised() => Frames(new Sealed().Tiny(), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Constrained() => Frames(Of(new Value()), Mark(), Other.Depth());

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int SharedOf<T>() => Frames(Generic<T>.Tiny(), Mark(), Other.Depth());

    static int Numbers() => SharedOf<int>();

    static int Texts() => SharedOf<string>();

    static readonly Open open = new Open();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Guess(Open open) => Frames(open.Tiny(), Mark(), Other.Depth());

    static int Guessed() => Guess(open);

    // One call, whose loop is compiled again while it runs
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Loop()
    {
        int last = 0;
        for (int i = 0; i < 200_000; i++)
            if (i % 1000 == 0)
                last = Frames(Tiny(), Mark(), Other.Depth());
        return last;
    }

    static MethodInfo Method(string name) => typeof(Callers).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Static)!;

    static Func<int> Make()
    {
        var method = new DynamicMethod("Made", typeof(int), Type.EmptyTypes, typeof(Callers).Module, true);
        ILGenerator il = method.GetILGenerator();
        il.Emit(OpCodes.Call, Method("Tiny"));
        il.Emit(OpCodes.Call, Method("Mark"));
        il.Emit(OpCodes.Call, typeof(Other).GetMethod("Depth")!);
        il.Emit(OpCodes.Call, Method("Frames"));
        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<Func<int>>();
    }

    static Func<int> made;

    static int Made() => (made ??= Make())();

    static void Main()
    {
        Console.WriteLine("ready");
        for (string line; (line = Console.ReadLine()!) != null;)
        {
            string said = "";
            foreach (string name in line.Split(' '))
            {
                var call = Method(name).CreateDelegate<Func<int>>();
                int last = call();
                while (last >= 10)
                {
                    Thread.Sleep(10);
                    for (int i = 0; i < 30; i++)
                        last = call();
                }
                said += $"{name}={last} ";
            }
            Console.WriteLine(said);
        }
    }
}
