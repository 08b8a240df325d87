// Writes to standard error. Does not name classes that a core library lacks: System.Private.CoreLib
// has no Console.

using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

namespace MyProfiler
{
    static class StandardError
    {
        const int Descriptor = 2;

        static Stream console;      // null: not opened yet

        internal static void Write(byte[] bytes)
        {
            int written = 0;
            if (console == null && Path.DirectorySeparatorChar == '/')
            {
                written = WriteToDescriptor(bytes);
            }
            if (written < bytes.Length)
            {
                if (console == null)
                {
                    Interlocked.CompareExchange(ref console, OpenConsole(), null);
                }
                console.Write(bytes, written, bytes.Length - written);
            }
        }

        // The file descriptor itself. On CoreCLR the console's stream sets up the console with its
        // first write (signal handlers, terminal mode, Console.Out): that would change a program
        // which does not use it. A FileStream over the descriptor of a regular file keeps a
        // position of its own, and would overwrite the program's output.
        static int WriteToDescriptor(byte[] bytes)
        {
            int written = 0;
            GCHandle pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
            try
            {
                while (written < bytes.Length)
                {
                    IntPtr rest = new IntPtr(pinned.AddrOfPinnedObject().ToInt64() + written);
                    long now = write(Descriptor, rest, new IntPtr(bytes.Length - written)).ToInt64();
                    if (now <= 0)
                    {
                        break;      // the console's stream handles it
                    }
                    written += (int)now;
                }
            }
            catch (TypeLoadException)
            {
                // the library or function is missing: these exceptions derive from it
            }
            finally
            {
                pinned.Free();
            }
            return written;
        }

        // Blittable types, as in the core library's own P/Invokes: nothing is marshalled.
        [DllImport("libc")]
        static extern IntPtr write(int descriptor, IntPtr bytes, IntPtr count);

        static Stream OpenConsole()
        {
            Type type = typeof(object).Assembly.GetType("System.Console") ??
                        Type.GetType("System.Console, System.Console", true);
            return (Stream)type.GetMethod("OpenStandardError", Type.EmptyTypes).Invoke(null, null);
        }
    }
}
