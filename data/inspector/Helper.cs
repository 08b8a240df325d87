// The calls that ilpatch inserts before each `ret`, and at entry if arguments are inspected, are to
// these methods. The program must not notice them: no exception leaves, and the thread's state
// (pending interrupt, last error) is preserved.
//
// No class of this assembly has a static initializer:
// a type initializer could fail with an exception that surfaces in the program, and could deadlock
// when two threads make their first call at once.

using System;
using System.Threading;

namespace MyProfiler
{
    public static class Helper
    {
        // Formatting calls core library methods, and on request ToString() of the program's types:
        // if those are patched too, they call back here.
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

        // `state` is the result of MyArguments at the method's entry.
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

        // The arguments at entry, before the method changes them; null if they are not shown.
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

        // For the other copies of this class in the process, if this is the core library's
        // (CoreLibrary): their own calls on this thread are not shown. False: this copy is running
        // on it.
        public static bool Occupy(bool on)
        {
            if (on && busy)
            {
                return false;
            }
            busy = on;
            return true;
        }

        // Contains only calls: a member that a trimmed application lacks then fails inside the try.
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
