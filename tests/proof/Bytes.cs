// An inspector that writes each value's bytes, for `ilpatch run`: "name size bytes", as a native function does for files.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace MyProfiler
{
    public static class Helper
    {
        static readonly StringBuilder lines = new StringBuilder();

        static Helper()
        {
            AppDomain.CurrentDomain.ProcessExit += (sender, arguments) =>
                File.WriteAllText(Environment.GetEnvironmentVariable("PROBE_OUTPUT"), lines.ToString());
        }

        public static unsafe void MyInspector<T>(T value, string name) where T : allows ref struct
        {
            Print(name, (byte*)Unsafe.AsPointer(ref value), Unsafe.SizeOf<T>());
        }

        // What a reference leads to comes as an object.
        public static unsafe void MyInspector(object value, string name)
        {
            if (value is ValueType) {
                GCHandle handle = GCHandle.Alloc(value, GCHandleType.Pinned);
                Print(name, (byte*)handle.AddrOfPinnedObject(), Marshal.SizeOf(value));
                handle.Free();
            } else {
                Print(name, (byte*)Unsafe.AsPointer(ref value), sizeof(void*));
            }
        }

        static unsafe void Print(string name, byte* bytes, int size)
        {
            lock (lines) {
                lines.Append(name).Append(' ').Append(size).Append(' ');
                for (int i = 0; i < size; i++) lines.Append(bytes[i].ToString("x2"));
                lines.Append('\n');
            }
        }
    }
}
