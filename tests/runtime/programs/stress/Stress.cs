// References that the collector moves while they are inspected. Four threads return references into the middle of
// arrays and objects, some of which nothing else refers to; the inspector (Check.cs) allocates and compacts meanwhile.
// After the return the caller writes through the reference and looks where that went.

using System;
using System.Threading;

namespace Stress
{
    struct Named
    {
        public long Before;
        public string Text;
        public long After;
        public Named(string text) { Before = 1; Text = text; After = 2; }
        public override string ToString() { return Text; }
    }

    class Holder<T>
    {
        T item;
        public Holder(T item) { this.item = item; }
        public ref T Item() { return ref item; }
        public void Take(out T value) { value = item; }
    }

    static class Program
    {
        const int Threads = 4, Rounds = 1000;
        static int wrong;

        static ref int Middle(int[] items) { return ref items[items.Length / 2]; }
        static ref string Text(string[] items) { return ref items[items.Length / 2]; }
        static ref Named Struct(Named[] items) { return ref items[items.Length / 2]; }
        static ref string Inside(Named[] items) { return ref items[items.Length - 1].Text; }
        static ref T Generic<T>(T[] items) { return ref items[1]; }

        // Nothing but the reference leads to these arrays.
        static ref string FreshText(int n)
        {
            var items = new string[50];
            items[25] = "FreshText " + n;
            return ref items[25];
        }
        static ref Named FreshStruct(int n)
        {
            var items = new Named[20];
            items[10] = new Named("FreshStruct " + n);
            return ref items[10];
        }

        static void Is(bool truth)
        {
            if (!truth)
                Interlocked.Increment(ref wrong);
        }

        static void Arrays(int n)
        {
            var numbers = new int[n % 100 + 1];
            numbers[numbers.Length / 2] = n;
            Middle(numbers) += 5;
            Is(numbers[numbers.Length / 2] == n + 5);
            var texts = new string[n % 30 + 1];
            texts[texts.Length / 2] = "Text " + n;
            Text(texts) += "!";
            Is(texts[texts.Length / 2] == "Text " + n + "!");
            var structs = new Named[n % 10 + 2];
            structs[structs.Length / 2] = new Named("Struct " + n);
            Struct(structs).After += n;
            Is(structs[structs.Length / 2].After == n + 2);
            structs[structs.Length - 1].Text = "Inside " + n;
            Inside(structs) = "inside";
            Is(structs[structs.Length - 1].Text == "inside" && structs[structs.Length - 1].Before == (structs.Length == 2 ? 1 : 0));
        }

        static void Generics(int n)
        {
            var texts = new[] { "a", "Generic " + n, "c" };
            Generic(texts) += "!";
            Is(texts[1] == "Generic " + n + "!");
            var structs = new[] { new Named("a"), new Named("Generic " + n), new Named("c") };
            Generic(structs).Before = n;
            Is(structs[1].Before == n && structs[1].Text == "Generic " + n);
            var holder = new Holder<Named>(new Named("Item " + n));
            holder.Item().After = n;
            Named taken;
            holder.Take(out taken);
            Is(taken.After == n && taken.Text == "Item " + n);
            Is(FreshText(n) == "FreshText " + n);
            ref Named fresh = ref FreshStruct(n);
            fresh.After = n;
            Is(fresh.Text == "FreshStruct " + n && fresh.After == n && fresh.Before == 1);
        }

        static void Work()
        {
            for (int n = 0; n < Rounds; n++)
            {
                Arrays(n);
                Generics(n);
            }
        }

        static int Done() { return wrong; }
        static bool Ready() { return true; } // by the stock inspector, which Check uses

        static void Start(out int code)
        {
            var threads = new Thread[Ready() ? Threads : 0];
            for (int i = 0; i < Threads; i++)
                (threads[i] = new Thread(Work)).Start();
            foreach (Thread thread in threads)
                thread.Join();
            Console.WriteLine("wrong: " + Done());
            code = wrong == 0 ? 100 : 1;
        }

        static void Main()
        {
            int code;
            Start(out code);
            Environment.ExitCode = code;
        }
    }
}
