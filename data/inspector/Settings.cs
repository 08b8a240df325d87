// What the environment asks for, read once.

using System;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Threading;

namespace MyProfiler
{
    sealed class Settings
    {
        static Settings current;

        internal readonly bool CountOnly;
        internal readonly bool CallToString;
        internal readonly string File;      // null: standard error

        Settings()
        {
            CountOnly = Environment.GetEnvironmentVariable("ILPATCH_COUNT") == "1";
            CallToString = Environment.GetEnvironmentVariable("ILPATCH_TOSTRING") == "1";
            string file = Environment.GetEnvironmentVariable("ILPATCH_OUTPUT");
            File = string.IsNullOrEmpty(file) ? null : FullName(file);
        }

        internal static Settings Current
        {
            get
            {
                if (current == null)
                {
                    Interlocked.CompareExchange(ref current, new Settings(), null);
                }
                return current;
            }
        }

        // Full, because threads open it later, when the program may have changed its directory.
        static string FullName(string file)
        {
            if (file.Contains("%p"))
            {
                file = file.Replace("%p", ProcessId());
            }
            // Domains of .NET Framework and Mono share a process but no variable of ours.
            AppDomain domain = AppDomain.CurrentDomain;
            if (!domain.IsDefaultAppDomain())
            {
                file += "." + domain.Id.ToString(CultureInfo.InvariantCulture);
            }
            try
            {
                return Path.GetFullPath(file);
            }
            catch (Exception)
            {
                return file;        // opening it will tell what is wrong
            }
        }

        // mscorlib 4.0 has no name for it: Environment.ProcessId came with .NET 5, Process is
        // elsewhere. Without both (a trimmed application) the name is at least unique.
        static string ProcessId()
        {
            object id = null;
            try
            {
                PropertyInfo property = typeof(Environment).GetProperty("ProcessId");
                id = property == null ? IdOfProcess() : property.GetValue(null, null);
            }
            catch (Exception)
            {
            }
            return id is int
                ? ((int)id).ToString(CultureInfo.InvariantCulture)
                : Guid.NewGuid().ToString("N");
        }

        static object IdOfProcess()
        {
            Type process =
                Type.GetType("System.Diagnostics.Process, System.Diagnostics.Process") ??
                Type.GetType("System.Diagnostics.Process, System, Version=4.0.0.0, " +
                             "Culture=neutral, PublicKeyToken=b77a5c561934e089", true);
            object self = process.GetMethod("GetCurrentProcess", Type.EmptyTypes).Invoke(null, null);
            return process.GetProperty("Id").GetValue(self, null);
        }
    }
}
