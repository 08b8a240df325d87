// What the environment asks for, read once.

using System;
using System.Globalization;
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
            File = string.IsNullOrEmpty(file) ? null : WithProcess(file);
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

        static string WithProcess(string file)
        {
            string process = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
            string done = "";
            for (int i = 0; i < file.Length; i++)
            {
                bool marked = file[i] == '%' && i + 1 < file.Length && file[i + 1] == 'p';
                done += marked ? process : file[i].ToString();
                i += marked ? 1 : 0;
            }
            return done;
        }
    }
}
