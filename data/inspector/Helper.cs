// The call that ilpatch inserts before each `ret` ends here. Nothing of this may be noticed by the
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
            Show(value, null, 0);
        }

        public static void MyInspector(object value, string method)
        {
            Show(value, method, 0);
        }

        // An id is never 0: its lower half is a token.
        public static void MyInspector(object value, long id)
        {
            Show(value, null, id);
        }

        // Only calls in here: a member that a trimmed application lacks then fails inside the try.
        static void Show(object value, string method, long id)
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
                    Inspector.Show(value, method, id);
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
