// Loops a million deep by calls that are no tail calls until `ilpatch tail add` has made them such: before that the
// stack overflows. DEPTH makes them shallow, so that all forms of the program can be compared.

using System;

namespace TailAdd
{
    interface IState { int Next(int n, int sum); }

    sealed class Red : IState
    {
        public IState Other;
        public int Next(int n, int sum) { return n == 0 ? sum : Other.Next(n - 1, sum + 1); }
    }

    class Green : IState
    {
        public IState Other;
        public virtual int Next(int n, int sum) { return n == 0 ? sum : Other.Next(n - 1, sum + 2); }
    }

    class Node<T>
    {
        readonly T value;
        public Node(T value) { this.value = value; }
        public T Walk(int n) { return n == 0 ? value : Back<string>(n - 1, "x"); }
        public T Back<U>(int n, U u) { return n == 0 ? value : Walk(n - 1); }
    }

    static class Program
    {
        static Func<int, long, long> step;
        static bool trouble;

        static int Self(int n, int sum) { return n == 0 ? sum : Self(n - 1, sum + 1); }
        static bool Even(int n) { return n == 0 || Odd(n - 1); }
        static bool Odd(int n) { return n != 0 && Even(n - 1); }
        static bool IsEven(int n) { if (n == 0) { return true; } return IsOdd(n - 1); }
        static bool IsOdd(int n) { if (n == 0) { return false; } return IsEven(n - 1); }
        static void Down(int n) { if (n != 0) { Down(n - 1); return; } Console.WriteLine("down"); }
        static long Step(int n, long sum) { return n == 0 ? sum : step(n - 1, sum + 3); }
        static decimal Large(int n, decimal d) { return n == 0 ? d : Large(n - 1, d + 1); }
#if NET10
        // More arguments than registers, and more than its caller has: CoreCLR needs a helper for it.
        static int Few(int n) { return n == 0 ? 0 : Many(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9); }
        static int Many(int n, long a, long b, long c, long d, long e, long f, long g, long h, long i)
        {
            return n == 0 ? (int)(a + b + c + d + e + f + g + h + i) : Few(n - 1);
        }
#endif
        static void Show(string name, object value) { Console.WriteLine(name + " = " + value); }
        static void Check(string name, object want, object got)
        {
            Show(name, got);
            trouble = trouble || !want.Equals(got);
        }

        static int Main()
        {
            string text = Environment.GetEnvironmentVariable("DEPTH");
            int depth = text == null ? 1000000 : int.Parse(text);
            var red = new Red();
            var green = new Green { Other = red };
            red.Other = green;
            step = Step;
            Check("Self", depth, Self(depth, 0));
            Check("IsEven", true, IsEven(depth));
            Down(depth);
            Check("Next", depth / 2 * 3, red.Next(depth, 0));
            Check("Walk", "value", new Node<string>("value").Walk(depth));
            Check("Walk", 2.5, new Node<double>(2.5).Walk(depth));
            Check("Step", 3L * depth, Step(depth, 0));
#if NET10
            Check("Large", (decimal)depth, Large(depth, 0));
            Check("Few", 0, Few(depth));
#endif
            Check("Even", true, Even(1000));
            Check("Large", 1000m, Large(1000, 0));
            return trouble ? 1 : 100;
        }
    }
}
