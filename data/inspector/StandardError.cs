// Where standard error is opened. The one place that names Console, so that a form for the core
// library, which has none, can put another class here.

using System;
using System.IO;
using Microsoft.Win32.SafeHandles;

namespace MyProfiler
{
    static class StandardError
    {
        internal static Stream Open()
        {
            return Plain() ?? Console.OpenStandardError();
        }

        // The file descriptor itself, for pipes and terminals. On CoreCLR the console's stream sets
        // up the console with its first write (signal handlers, terminal mode, Console.Out): that
        // would change a program which does not use it. For a regular file there is no other way:
        // a FileStream keeps a position of its own and would write over what the program writes.
        static Stream Plain()
        {
            const int Descriptor = 2, NoBuffer = 1;
            if (Path.DirectorySeparatorChar != '/')
            {
                return null;
            }
            try
            {
                FileStream stream = new FileStream(new SafeFileHandle(new IntPtr(Descriptor), false),
                                                   FileAccess.Write, NoBuffer);
                return stream.CanSeek ? null : stream;
            }
            catch (Exception)
            {
                return null;
            }
        }
    }
}
