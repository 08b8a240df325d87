// Where lines go: one write per line, at once, by the operating system's own functions, as a trimmed program may have neither
// files nor a console.
//
// A file is opened once, and its position in the system is what threads share. Each assembly that the inspector is embedded in
// has a copy of it, and copies do not know of each other: the first one locks the file.

using System;
using System.Globalization;
using System.Text;
using System.Threading;

namespace MyProfiler
{
    sealed class Target
    {
        internal IntPtr Handle;
    }

    static class Output
    {
        static Target target;
        static int opening;
        static long count;

        internal static void Write(string line)
        {
            Target to = target ?? Open();
            Native.Write(to.Handle, Encoding.UTF8.GetBytes(line + "\n"));
        }

        // Told at 1, 2, 4, 8 ...: the last line is never off by more than half, and no hook at the
        // process's end is needed.
        internal static void Count()
        {
            long n = Interlocked.Increment(ref count);
            if ((n & (n - 1)) == 0)
            {
                Write("ilpatch: " + n.ToString(null, CultureInfo.InvariantCulture) + " values");
            }
        }

        // The thread that comes first opens it. The others wait, since a line must not go elsewhere for that.
        static Target Open()
        {
            if (Interlocked.CompareExchange(ref opening, 1, 0) != 0)
            {
                Target opened;
                while ((opened = Interlocked.CompareExchange(ref target, null, null)) == null)
                {
                    Thread.Yield();
                }
                return opened;
            }
            Target to = new Target();
            try
            {
                to.Handle = Native.StandardError();
                string file = Settings.Current.File;
                if (file != null && !Native.Open(file, ref to.Handle))
                {
                    Native.Write(to.Handle, Encoding.UTF8.GetBytes(
                        "ilpatch: cannot open " + file + ", or another process or copy of the inspector writes to it; " +
                        "values go to standard error\n"));
                }
            }
            finally
            {
                Interlocked.CompareExchange(ref target, to, null);
            }
            return to;
        }
    }
}
