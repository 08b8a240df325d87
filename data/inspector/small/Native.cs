// Files of the operating system. On Unix by the library that each .NET brings with it, whose constants are the same on all
// systems; on Windows by kernel32. All arguments are numbers, so that nothing is marshalled.

using System;
using System.Runtime.InteropServices;
using System.Text;

namespace MyProfiler
{
    static class Native
    {
        static int system;      // 0: not known so far

        const int Unix = 1, Windows = 2;

        // There is no DllNotFoundException where the library is, so this throws on Windows alone, once.
        static bool IsWindows()
        {
            if (system == 0)
            {
                try
                {
                    SystemNative_GetPid();
                    system = Unix;
                }
                catch (TypeLoadException)
                {
                    system = Windows;
                }
            }
            return system == Windows;
        }

        internal static IntPtr StandardError()
        {
            return IsWindows() ? GetStdHandle(-12) : new IntPtr(2);
        }

        // A file is emptied, and locked for as long as the process runs. False leaves the handle as it was.
        internal static bool Open(string file, ref IntPtr handle)
        {
            byte[] path = IsWindows() ? Wide(file + "\0") : Encoding.UTF8.GetBytes(file + "\0");
            GCHandle pinned = GCHandle.Alloc(path, GCHandleType.Pinned);
            try
            {
                IntPtr opened = IsWindows() ? OpenOnWindows(pinned.AddrOfPinnedObject())
                                            : OpenOnUnix(pinned.AddrOfPinnedObject());
                if (opened == new IntPtr(-1))
                {
                    return false;
                }
                handle = opened;
                return true;
            }
            finally
            {
                pinned.Free();
            }
        }

        // Encoding.Unicode may be gone.
        static byte[] Wide(string s)
        {
            byte[] bytes = new byte[s.Length * 2];
            for (int i = 0; i < s.Length; i++)
            {
                bytes[2 * i] = (byte)s[i];
                bytes[2 * i + 1] = (byte)(s[i] >> 8);
            }
            return bytes;
        }

        // What is no regular file, a pipe or a device, may have many writers.
        static IntPtr OpenOnUnix(IntPtr path)
        {
            const int WriteOnly = 0x1, CloseOnExec = 0x10, Create = 0x20;
            const int ReadAndWriteForAll = 0x1b6;
            const int LockExclusive = 2, LockAtOnce = 4;
            IntPtr file = SystemNative_Open(path, WriteOnly | CloseOnExec | Create, ReadAndWriteForAll);
            if (file == new IntPtr(-1) || !IsRegular(file))
            {
                return file;
            }
            if (SystemNative_FLock(file, LockExclusive | LockAtOnce) != 0)
            {
                SystemNative_Close(file);
                return new IntPtr(-1);
            }
            SystemNative_FTruncate(file, 0);
            return file;
        }

        // FileStatus begins with two numbers of 32 bits, flags and mode, in each version; it has some 120 bytes.
        static bool IsRegular(IntPtr file)
        {
            byte[] status = new byte[512];
            GCHandle pinned = GCHandle.Alloc(status, GCHandleType.Pinned);
            int result = SystemNative_FStat(file, pinned.AddrOfPinnedObject());
            pinned.Free();
            return result == 0 && (status[5] & 0xf0) == 0x80;
        }

        static IntPtr OpenOnWindows(IntPtr path)
        {
            const int GenericWrite = 0x40000000, ShareRead = 1, ShareDelete = 4, CreateAlways = 2, Normal = 0x80;
            return CreateFileW(path, GenericWrite, ShareRead | ShareDelete, new IntPtr(0), CreateAlways, Normal,
                               new IntPtr(0));
        }

        internal static void Write(IntPtr handle, byte[] bytes)
        {
            int written;
            while (bytes.Length != 0 && (written = WriteSome(handle, bytes)) > 0)
            {
                byte[] rest = new byte[bytes.Length - written];
                Array.Copy(bytes, written, rest, 0, rest.Length);
                bytes = rest;
            }
        }

        static int WriteSome(IntPtr handle, byte[] bytes)
        {
            GCHandle pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
            try
            {
                return IsWindows() ? WriteOnWindows(handle, pinned.AddrOfPinnedObject(), bytes.Length)
                                   : SystemNative_Write(handle, pinned.AddrOfPinnedObject(), bytes.Length);
            }
            finally
            {
                pinned.Free();
            }
        }

        static int WriteOnWindows(IntPtr handle, IntPtr bytes, int size)
        {
            byte[] written = new byte[4];
            GCHandle pinned = GCHandle.Alloc(written, GCHandleType.Pinned);
            int result = WriteFile(handle, bytes, size, pinned.AddrOfPinnedObject(), new IntPtr(0));
            pinned.Free();
            return result == 0 ? -1 : written[0] | written[1] << 8 | written[2] << 16;
        }

        [DllImport("libSystem.Native")]
        static extern int SystemNative_GetPid();

        [DllImport("libSystem.Native")]
        static extern IntPtr SystemNative_Open(IntPtr path, int flags, int mode);

        [DllImport("libSystem.Native")]
        static extern int SystemNative_Close(IntPtr file);

        [DllImport("libSystem.Native")]
        static extern int SystemNative_FStat(IntPtr file, IntPtr status);

        [DllImport("libSystem.Native")]
        static extern int SystemNative_FLock(IntPtr file, int operation);

        [DllImport("libSystem.Native")]
        static extern int SystemNative_FTruncate(IntPtr file, long length);

        [DllImport("libSystem.Native")]
        static extern int SystemNative_Write(IntPtr file, IntPtr bytes, int size);

        [DllImport("kernel32")]
        static extern IntPtr GetStdHandle(int number);

        [DllImport("kernel32")]
        static extern IntPtr CreateFileW(IntPtr path, int access, int share, IntPtr security, int disposition,
                                         int attributes, IntPtr template);

        [DllImport("kernel32")]
        static extern int WriteFile(IntPtr file, IntPtr bytes, int size, IntPtr written, IntPtr overlapped);
    }
}
