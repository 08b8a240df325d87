// The calls that ilpatch inserts before each `ret`, and at entry where arguments are wanted, end here. Nothing of this may be noticed by the
// program: no exception leaves, and what a thread carries (pending interrupt, last error) is as before.
//
// No class of this assembly has a static initialiser: a type initialiser could fail with an exception
// that lands in the program, and could deadlock when two threads make their first call at once.

using System;
using System.Threading;

namespace MyProfiler
{
    public static class Helper
    {
        // Formatting calls core library methods, and on request ToString() of the program's types:
        // where those are patched too, they come back here.
        [ThreadStatic]
        static bool busy;

        public static void MyInspector(object value)
        {
            Show(value, null, 0, null, false);
        }

        public static void MyInspector(object value, string method)
        {
            Show(value, method, 0, null, false);
        }

        // An id is never 0: its lower half is a token.
        public static void MyInspector(object value, long id)
        {
            Show(value, null, id, null, false);
        }

        // `state` is what MyArguments gave at the method's entry.
        public static void MyInspector(object value, string method, object state)
        {
            Show(value, method, 0, state, false);
        }

        public static void MyInspector(object value, long id, object state)
        {
            Show(value, null, id, state, false);
        }

        // An exception that leaves the method.
        public static void MyException(object exception, string method)
        {
            Show(exception, method, 0, null, true);
        }

        public static void MyException(object exception, long id)
        {
            Show(exception, null, id, null, true);
        }

        public static void MyException(object exception, string method, object state)
        {
            Show(exception, method, 0, state, true);
        }

        public static void MyException(object exception, long id, object state)
        {
            Show(exception, null, id, state, true);
        }

        // Arguments as they are now, before the method changes them; null where they are not to be shown.
        public static object MyArguments(object[] arguments, string method)
        {
            if (busy)
            {
                return null;
            }
            try
            {
                busy = true;
                return Inspector.BeQuiet(true) ? Inspector.Arguments(arguments, method) : null;
            }
            catch (ThreadInterruptedException)
            {
                Inspector.InterruptAgain();
                return null;
            }
            catch
            {
                return null;
            }
            finally
            {
                Inspector.BeQuiet(false);
                busy = false;
            }
        }

        // For the other copies of this class in the process, if this is the core library's (CoreLibrary): what they do on this thread is not
        // shown. False: this copy is at work on it.
        public static bool Occupy(bool on)
        {
            if (on && busy)
            {
                return false;
            }
            busy = on;
            return true;
        }

        // Only calls in here: a member that a trimmed application lacks then fails inside the try.
        static void Show(object value, string method, long id, object state, bool thrown)
        {
            if (busy)
            {
                return;
            }
            try
            {
                busy = true;
                if (Inspector.BeQuiet(true))
                {
                    Inspector.Show(value, method, id, state, thrown);
                }
            }
            catch (ThreadInterruptedException)
            {
                Inspector.InterruptAgain();
            }
            catch
            {
            }
            finally
            {
                Inspector.BeQuiet(false);
                busy = false;
            }
        }
    }
}
