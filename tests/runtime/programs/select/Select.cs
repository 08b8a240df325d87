// Rules that select parts of a program, treat tasks in two ways, and call three inspectors (Select.rules.xml).
// What no rule includes is not shown: everything in Out, Plain and Program.

using System;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Select
{
    static class Out
    {
        public static int Shown;
        public static void Show(string name, object value)
        {
            Shown++;
            Console.WriteLine(name + " = " + Convert.ToString(value, CultureInfo.InvariantCulture));
        }
    }

    [AttributeUsage(AttributeTargets.All)]
    sealed class ShowAttribute : Attribute { }

    // C# calls it task-like.
    [AsyncMethodBuilder(typeof(void))]
    struct Promise { public int Value; }
    [AsyncMethodBuilder(typeof(void))]
    class Promise<T> { public T Value; }
    class Task { public int Value; }

    struct Large { public long A, B, C; }
    struct Little { public long A, B; }

    // No rule fits: as it was.
    static class Plain
    {
        static int Number() { return 1; }
        static string Text() { return "t"; }
        public static void Run() { Out.Show("Plain", Number() + Text()); }
    }

    static class Bare
    {
        static int Number() { return 1; }
        static string Text() { return "bare"; }
        static string None() { return null; }
        static Large Struct() { return new Large { C = 3 }; }
        static T Generic<T>(T value) { return value; }
        static Task<int> Task() { return System.Threading.Tasks.Task.FromResult(5); }
        public static void Run()
        {
            Out.Show("Bare", Number() + Text() + None() + Struct().C + Generic(2) + Generic("g") + Task().Result);
        }
    }

    static class Tagged
    {
        static int Number() { return 1; }
        static bool Truth() { return true; }
        static string Text() { return "tagged"; }
        static Large Struct() { return new Large { C = 3 }; }
        static Task<int> Task() { return System.Threading.Tasks.Task.FromResult(5); }
        public static void Run()
        {
            Out.Show("Tagged", Number() + Text() + Truth() + Struct().C + Task().Result);
        }
    }

    static class TaggedToo
    {
        static double Number() { return 1.5; }
        static object Object() { return 'o'; }
        public static void Run() { Out.Show("TaggedToo", Convert.ToString(Number(), CultureInfo.InvariantCulture) + Object()); }
    }

    static class Alone
    {
        static int number = 7;
        static int Number() { return number; }
        static string Text() { return "alone"; }
        static ref int Ref() { return ref number; }
        static unsafe ref int Null() { return ref *(int*)null; }
        static unsafe void* Pointer() { return null; }
        public static unsafe void Run()
        {
            Ref()++;
            fixed (int* p = &Null())
                Out.Show("Alone", Number() + Text() + (p == null) + (Pointer() == null));
        }
    }

    static class NoTasks
    {
        static Task<int> task = System.Threading.Tasks.Task.FromResult(1);
        static int Number() { return 1; }
        static System.Threading.Tasks.Task Task() { return task; }
        static Task<int> TaskOf() { return task; }
        static async Task<string> Async() { await task; return "async"; }
        static Promise LikeTask() { return new Promise { Value = 2 }; }
        static Promise<int> LikeTaskOf() { return new Promise<int> { Value = 3 }; }
        // These are no tasks: another type of that name, something around one.
        static Task OwnTask() { return new Task { Value = 4 }; }
        static Task<int>[] Tasks() { return new[] { task }; }
        static object Object() { return task; }
        public static void Run()
        {
            Out.Show("NoTasks", Number() + TaskOf().Result + Async().Result + LikeTask().Value + LikeTaskOf().Value + OwnTask().Value + Tasks().Length);
            Out.Show("NoTasks", Task() == Object());
        }
    }

    static class Tasks
    {
        static System.Threading.Tasks.Task Task() { return System.Threading.Tasks.Task.FromResult("x"); }
        static Task<int> TaskOf() { return System.Threading.Tasks.Task.FromResult(1); }
        static async Task<int> Async() { return await TaskOf() + 1; }
        static Promise LikeTask() { return new Promise { Value = 2 }; }
        static Promise<int> LikeTaskOf() { return new Promise<int> { Value = 3 }; }
        public static void Run()
        {
            Task();
            Out.Show("Tasks", TaskOf().Result + Async().Result + LikeTask().Value + LikeTaskOf().Value);
        }
    }

    class Parts
    {
        static Large large = new Large { A = 6 };
        static Little little = new Little { A = 7 };
        int number = 1;
        public int Number { get { return number; } set { number = value; } }
        public int Shown { [Show] get { return number; } }
        internal int Internal() { return 2; }
        [Show] internal int Chosen() { return 3; }
        public int Public() { return 4; }
        public string Text() { return "not this"; }
        int Get1() { return 5; }
        int Get() { return 5; }
        int Get1a() { return 5; }
        static Large MakeLarge() { return large; }
        static Little MakeLittle() { return little; }
        public Little PublicLittle() { return little; }
        public static Parts operator +(Parts a, int b) { a.number += b; return a; }
        public static void Run()
        {
            var p = new Parts();
            p.Number += 10;
            p += 1;
            Out.Show("Parts", p.Number + p.Shown + p.Internal() + p.Chosen() + p.Public() + p.Text() + p.Get1() + p.Get() + p.Get1a());
            Out.Show("Parts", MakeLarge().A + MakeLittle().A + p.PublicLittle().A);
        }
    }

    unsafe class Generic<T>
    {
        T item;
        public Generic(T item) { this.item = item; }
        public T Get() { return item; }
        public ref T Ref() { return ref item; }
        public void* Pointer() { return (void*)0x99; }
    }

    static class Program
    {
        static unsafe int Main()
        {
            Plain.Run();
            Bare.Run();
            Tagged.Run();
            TaggedToo.Run();
            Alone.Run();
            NoTasks.Run();
            Tasks.Run();
            Parts.Run();
            var generic = new Generic<string>("g");
            generic.Ref() += generic.Get();
            Out.Show("Generic", generic.Get() + (generic.Pointer() == (void*)0x99));
            return Out.Shown == 11 ? 100 : 1;
        }
    }
}
