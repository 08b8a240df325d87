// A program with one method for each answer. Each line of standard input is a command: "call" calls what is called, a path loads that assembly and calls Later.Answer, in a collectible context if a "-" is before it.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;

namespace Shop
{
    public abstract class Base
    {
        public abstract int Price();
    }

    public sealed class Cart : Base
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public override int Price() => 3;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Total() => Price() + 1;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Unused() => Price() + 2;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public void Clear() { }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public ref int Field(int[] values) => ref values[0];

        [DllImport("libc")]
        public static extern int getpid();

        [MethodImpl(MethodImplOptions.NoInlining)]
        public T Same<T>(T value) => value;
    }

    public static class Program
    {
        public static void Main()
        {
            var cart = new Cart();
            Console.WriteLine("ready");
            string line;
            while ((line = Console.ReadLine()!) != null)
            {
                if (line == "call")
                {
                    cart.Total();
                    cart.Clear();
                    cart.Same(1);
                    cart.Field(new int[1]);
                }
                else
                {
                    string path = line.TrimStart('-');
                    new AssemblyLoadContext(null, isCollectible: path != line).LoadFromAssemblyPath(path).GetType("Later")!.GetMethod("Answer")!.Invoke(null, null);
                }
                Console.WriteLine("did " + line);
            }
        }
    }
}
