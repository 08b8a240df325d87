// The destination of lines: one write per line, at once, so that nothing is pending when the
// process ends or is killed.
//
// A file is shared by threads without a lock: a line reserves its range
// of bytes with one atomic addition and is written there through the thread's own stream. The
// position is shared by all copies of this class in the process (one per assembly when the
// inspector is embedded), through the application domain's data; only that first access is under a
// lock, and its wait is limited.

using System;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;

namespace MyProfiler
{
    sealed class Target
    {
        internal Stream Stream;         // for all threads; null: a file, each thread has its own
        internal string File;           // null: standard error
        internal long[] Position;       // the file's length
    }

    static class Output
    {
        const int LongestWait = 1000;   // ms

        static Target target;
        static long[] counter;
        static int complaints;

        [ThreadStatic]
        static FileStream stream;

        internal static void Write(string line)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(line + "\n");
            if (Profiler.Present != null)
            {
                Profiler.Present.Write(bytes);
                return;
            }
            Target to = target ?? Open();
            FileStream file = null;
            if (to.Stream != null)
            {
                to.Stream.Write(bytes, 0, bytes.Length);
                return;
            }
            if (to.File != null)
            {
                file = stream ?? OpenForThread(to);
            }
            if (file == null)
            {
                StandardError.Write(bytes);
                return;
            }
            file.Position = Interlocked.Add(ref to.Position[0], bytes.Length) - bytes.Length;
            file.Write(bytes, 0, bytes.Length);
        }

        // Reported at 1, 2, 4, 8 ...: so the last report is at least half of the total, and no hook
        // at the process's end is needed.
        internal static void Count()
        {
            if (Profiler.Present != null)
            {
                Profiler.Present.Count();
                return;
            }
            if (counter == null)
            {
                Interlocked.CompareExchange(ref counter, Meet("ilpatch values"), null);
            }
            long n = Interlocked.Increment(ref counter[0]);
            if ((n & (n - 1)) == 0)
            {
                Write("ilpatch: " + n.ToString(CultureInfo.InvariantCulture) + " values");
            }
        }

        static Target Open()
        {
            string file = Settings.Current.File;
            if (file == null)
            {
                return Publish(new Target());
            }
            object gate = Gate();
            if (!Monitor.TryEnter(gate, LongestWait))
            {
                return new Target();
            }
            try
            {
                return target ?? Publish(OpenShared(file));
            }
            catch (Exception e)
            {
                Complain(file, e);
                return Publish(new Target());
            }
            finally
            {
                Monitor.Exit(gate);
            }
        }

        static Target Publish(Target to)
        {
            Interlocked.CompareExchange(ref target, to, null);
            return target;
        }

        static Target OpenShared(string file)
        {
            string name = "ilpatch position " + file;
            bool first = AppDomain.CurrentDomain.GetData(name) == null;
            Target to = new Target();
            to.File = file;
            to.Position = Meet(name);
            stream = OpenFile(file, first ? FileMode.Create : FileMode.OpenOrCreate);
            if (!stream.CanSeek)
            {
                to.Stream = stream;
            }
            return to;
        }

        // A thread that cannot open a file handle still writes its line.
        static FileStream OpenForThread(Target to)
        {
            try
            {
                return stream = OpenFile(to.File, FileMode.OpenOrCreate);
            }
            catch (Exception e)
            {
                Complain(to.File, e);
                return null;
            }
        }

        static FileStream OpenFile(string file, FileMode mode)
        {
            const int NoBuffer = 1;
            return new FileStream(file, mode, FileAccess.Write,
                                  FileShare.ReadWrite | FileShare.Delete, NoBuffer);
        }

        static void Complain(string file, Exception e)
        {
            if (Interlocked.Exchange(ref complaints, 1) == 0)
            {
                StandardError.Write(Encoding.UTF8.GetBytes(
                    "ilpatch: cannot open " + file + " (" + e.GetType() + "), " +
                    "values go to standard error\n"));
            }
        }

        // A number that all copies of this class in the process share by its name.
        static long[] Meet(string name)
        {
            object gate = Gate();
            bool entered = Monitor.TryEnter(gate, LongestWait);
            try
            {
                AppDomain domain = AppDomain.CurrentDomain;
                long[] number = domain.GetData(name) as long[];
                if (number == null)
                {
                    number = new long[1];
                    domain.SetData(name, number);
                }
                return number;
            }
            finally
            {
                if (entered)
                {
                    Monitor.Exit(gate);
                }
            }
        }

        // Interned strings are the only objects that separate assemblies share.
        static object Gate()
        {
            return string.Intern("ilpatch output gate");
        }
    }
}
