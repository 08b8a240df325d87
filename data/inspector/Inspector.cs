// The full inspector's work for a value, and its calls to the runtime. Members that some runtimes
// lack are found by reflection.

using System;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace MyProfiler
{
    static class Inspector
    {
        internal static void Show(object value, string method, long id, object state, bool thrown)
        {
            // A program deep in a recursion that fits the stack without us must not overflow it
            // with us.
            if (!StartUp.IsOver() || !Stack.HasRoom())
            {
                return;
            }

            Call call = state as Call;
            long end = call != null && call.Start != 0 ? DateTime.UtcNow.Ticks : 0;

            // The program may call GetLastWin32Error() after it returns from a P/Invoke.
            int error = Marshal.GetLastWin32Error();
            try
            {
                if (Settings.Current.CountOnly)
                {
                    Output.Count();
                }
                else
                {
                    Output.Write(Format.Line(value, id == 0 ? method : Format.Id(id),
                                             call == null ? null : call.Arguments, thrown) +
                                 (end == 0 ? "" : Elapsed(end - call.Start)));
                }
            }
            finally
            {
                if (Marshal.GetLastWin32Error() != error)
                {
                    LastError.Set(error);
                }
            }
        }

        // The clock may have been set back meanwhile.
        static string Elapsed(long ticks)
        {
            ticks = Math.Max(ticks, 0);
            return " in " + (ticks / 10).ToString(CultureInfo.InvariantCulture) + "." +
                   (ticks % 10).ToString(CultureInfo.InvariantCulture) + "us";
        }

        // A call's arguments, for Show(); null: not shown.
        internal static object Arguments(object[] arguments, string method)
        {
            if (Settings.Current.CountOnly || !StartUp.IsOver() || !Stack.HasRoom())
            {
                return null;
            }
            int error = Marshal.GetLastWin32Error();
            try
            {
                Call call = new Call();
                call.Arguments = Format.Arguments(arguments, method);
                bool begins = method[method.Length - 1] == ')';     // otherwise the call has ended
                call.Start = Settings.Current.Elapsed && begins ? DateTime.UtcNow.Ticks : 0;
                return call;
            }
            finally
            {
                if (Marshal.GetLastWin32Error() != error)
                {
                    LastError.Set(error);
                }
            }
        }

        // False if the output is discarded, or an inspector in the core library is running on this
        // thread.
        internal static bool BeQuiet(bool on)
        {
            return CoreLibrary.Occupy(on) && (Profiler.Present == null || Profiler.Present.Quiet(on));
        }

        // The program's interrupt was consumed by a wait of ours; the program's next wait must see
        // it.
        internal static void InterruptAgain()
        {
            Thread.CurrentThread.Interrupt();
        }
    }

    // A patched core library has a copy of the inspector in it, with a guard of its own: it would
    // show the calls of other copies. That copy is found once; the calls made for the search are
    // shown.
    static class CoreLibrary
    {
        static Func<bool, bool> occupy;     // null: the core library has no copy
        static bool looked;

        [ThreadStatic]
        static bool occupied;

        // False: that copy is running on this thread.
        internal static bool Occupy(bool on)
        {
            if (!looked)
            {
                occupy = Find();
                looked = true;
            }
            if (occupy == null)
            {
                return true;
            }
            if (on)
            {
                return occupied = occupy(true);
            }
            if (!occupied)
            {
                return false;
            }
            occupied = false;
            return occupy(false);
        }

        static Func<bool, bool> Find()
        {
            Assembly core = typeof(object).Assembly;
            Type helper = core == typeof(Helper).Assembly ? null : core.GetType("<ilpatch:MyProfiler>.MyProfiler.Helper");
            MethodInfo method = helper == null ? null : helper.GetMethod("Occupy", new Type[] { typeof(bool) });
            return method == null
                ? null
                : (Func<bool, bool>)Delegate.CreateDelegate(typeof(Func<bool, bool>), method, false);
        }
    }

    // The state of a call from the method's entry to its end. mscorlib has no Stopwatch.
    sealed class Call
    {
        internal string Arguments;
        internal long Start;        // in ticks of 100 ns, when the arguments were formatted; 0: not noted
    }

    // In the core library the first values arrive while the runtime is still passing the program's
    // settings (System.AppContext::Setup of CoreCLR). Formatting one would read settings that are
    // not set yet, and the result is cached: with System.Globalization.Invariant the program would
    // get cultures all the same.
    static class StartUp
    {
        static bool over;

        internal static bool IsOver()
        {
            if (!over)
            {
                over = typeof(StartUp).Assembly != typeof(object).Assembly || !IsSettingUp();
            }
            return over;
        }

        static bool IsSettingUp()
        {
            StackTrace trace = new StackTrace(false);
            for (int i = trace.FrameCount - 1; i >= 0; i--)
            {
                MethodBase method = trace.GetFrame(i).GetMethod();
                if (method != null && method.Name == "Setup" &&
                    method.DeclaringType != null && method.DeclaringType.FullName == "System.AppContext")
                {
                    return true;
                }
            }
            return false;
        }
    }

    static class Stack
    {
        static Func<bool> check;
        static bool looked;

        // The form that does not throw, if it exists: an exception looks up its message, and
        // CoreCLR ends the process when that happens within a look-up of the same message, which is
        // inspected code, too.
        internal static bool HasRoom()
        {
            if (!looked)
            {
                MethodInfo method = typeof(RuntimeHelpers).GetMethod(
                    "TryEnsureSufficientExecutionStack", Type.EmptyTypes);
                check = method == null
                    ? null
                    : (Func<bool>)Delegate.CreateDelegate(typeof(Func<bool>), method, false);
                looked = true;
            }
            if (check != null)
            {
                return check();
            }
            RuntimeHelpers.EnsureSufficientExecutionStack();
            return true;
        }
    }

    static class LastError
    {
        static Action<int> setter;
        static bool looked;

        // Public since .NET 6, internal under another name on Mono and .NET Framework.
        internal static void Set(int error)
        {
            if (!looked)
            {
                setter = Find("SetLastPInvokeError") ?? Find("SetLastWin32Error");
                looked = true;
            }
            if (setter != null)
            {
                setter(error);
            }
        }

        static Action<int> Find(string name)
        {
            MethodInfo method = typeof(Marshal).GetMethod(
                name, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic,
                null, new Type[] { typeof(int) }, null);
            return method == null
                ? null
                : (Action<int>)Delegate.CreateDelegate(typeof(Action<int>), method, false);
        }
    }
}
