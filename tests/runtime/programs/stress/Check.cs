// An inspector that disturbs: it allocates, and collects and compacts while the method that it was called from has its
// reference on the stack. Whether the values are the right ones is seen in their text: each is its method's name and
// a number between 0 and 999, or an object or struct that has such a text.
using System;
using System.Threading;

namespace Check
{
    public static class Inspector
    {
        static int good;
        static int calls;
        public static object Keep;

        public static void MyInspector(object value, string method)
        {
            if (method == "Stress.Program::Done")
            {
                MyProfiler.Helper.MyInspector(good, "good values");
                return;
            }
            int call = Interlocked.Increment(ref calls);
            Keep = new byte[call % 7 * 1000];
            if (call % 64 == 0)
                GC.Collect(call % 3, GCCollectionMode.Forced, true, true);
            string text = value.ToString();
            if (text.StartsWith(method.Substring(method.IndexOf("::") + 2) + " ", StringComparison.Ordinal) ||
                (value is int && (int)value >= 0 && (int)value < 1000))
                Interlocked.Increment(ref good);
            else
                MyProfiler.Helper.MyInspector(value, "wrong: " + method);
        }
    }
}
