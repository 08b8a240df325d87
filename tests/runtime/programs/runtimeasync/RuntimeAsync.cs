// Methods with the runtime-async flag (ImplFlags 0x2000): compiled with -features:runtime-async=on, run with
// DOTNET_RuntimeAsync=1.
//
// The declared type is Task<T> or ValueTask<T>, but what is on the stack at `ret` is T, and nothing at all for
// Task and ValueTask. A tool that boxes the declared type makes an invalid program.

using System;
using System.Threading.Tasks;

namespace RuntimeAsync
{
    struct Pair<A, B> { public A First; public B Second; }

    class Box<T>
    {
        T item;
        public Box(T item) { this.item = item; }
        public async Task<T> Get() { await Task.Yield(); return item; }
        public async ValueTask<Pair<T, U>> With<U>(U other) { await Task.Yield(); return new Pair<T, U> { First = item, Second = other }; }
    }

    static class Program
    {
        static async Task<int> Add(int a, int b) { await Task.Yield(); return a + b; }
        static async Task Nothing() { await Task.Yield(); }
        static async ValueTask Neither() { await Nothing(); }
        static async ValueTask<string> Text(bool known) { await Nothing(); if (known) return "text"; return null; }
        static async Task<T> Generic<T>(T value) { await Task.Yield(); return value; }
        static async Task<int[]> Array() { await Task.Yield(); return new int[2]; }
        static async Task<Task<int>> Nested() { await Task.Yield(); return Task.FromResult(21); }
        static async Task<DayOfWeek?> Maybe(bool some) { await Task.Yield(); return some ? DayOfWeek.Monday : null; }
        static async Task<int> Fib(int n) { return n < 2 ? n : await Fib(n - 1) + await Fib(n - 2); }
        static async Task<bool> Never() { await Task.Yield(); throw new InvalidOperationException(); }

        static async Task<string> Try(int a)
        {
            try
            {
                if (a == 0)
                    return "early";
                await Never();
                return "not reached";
            }
            catch (InvalidOperationException)
            {
                await Nothing();
                return "caught";
            }
            finally
            {
                await Neither();
            }
        }

        // Not a runtime-async method though it returns a Task: here the task itself is on the stack.
        static Task<int> Plain() { return Task.FromResult(6); }

        static int Main()
        {
            Console.WriteLine(Add(1, 2).Result);
            Neither().AsTask().Wait();
            Console.WriteLine(Text(true).AsTask().Result);
            Console.WriteLine(Text(false).AsTask().Result == null);
            Console.WriteLine(Generic(0.5).Result);
            Console.WriteLine(Generic("g").Result);
            Console.WriteLine(Generic(new Pair<int, char> { First = 1, Second = 'c' }).Result.Second);
            Console.WriteLine(Array().Result.Length);
            Console.WriteLine(Nested().Result.Result);
            Console.WriteLine(Maybe(true).Result);
            Console.WriteLine(Maybe(false).Result == null);
            Console.WriteLine(Fib(3).Result);
            Console.WriteLine(Try(0).Result);
            Console.WriteLine(Try(1).Result);
            Console.WriteLine(new Box<int>(7).Get().Result);
            Console.WriteLine(new Box<string>("b").With(8L).AsTask().Result.Second);
            Console.WriteLine(Plain().Result);
            return 100;
        }
    }
}
