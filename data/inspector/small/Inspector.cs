// What the small inspector does for a value. It is for trimmed programs on .NET: CoreLibrary.cs has all that it needs of the
// core library.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MyProfiler
{
    static class Inspector
    {
        internal static void Show(object value, string method, long id, object state, bool thrown)
        {
            // A program deep in a recursion that it survives alone must survive with us on top.
            if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            {
                return;
            }

            // The program may return from a P/Invoke and ask for its error afterwards.
            int error = Marshal.GetLastPInvokeError();
            try
            {
                if (Settings.Current.CountOnly)
                {
                    Output.Count();
                }
                else
                {
                    Output.Write(Format.Line(value, id == 0 ? method : Format.Id(id), state as string, thrown));
                }
            }
            finally
            {
                Marshal.SetLastPInvokeError(error);
            }
        }

        // The arguments as text, for Show(); null: without them.
        internal static string Arguments(object[] arguments, string method)
        {
            if (Settings.Current.CountOnly || !RuntimeHelpers.TryEnsureSufficientExecutionStack())
            {
                return null;
            }
            int error = Marshal.GetLastPInvokeError();
            try
            {
                return Format.Arguments(arguments, method);
            }
            finally
            {
                Marshal.SetLastPInvokeError(error);
            }
        }

        // There is no profiler beside it.
        internal static bool BeQuiet(bool on)
        {
            return true;
        }

        // Trimmed programs need not have Thread.Interrupt(): then nobody interrupts a thread.
        internal static void InterruptAgain()
        {
        }
    }
}
