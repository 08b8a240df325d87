// What the environment asks for, read once.

using System;
using System.Threading;

namespace MyProfiler
{
    sealed class Settings
    {
        static Settings current;

        internal readonly bool CountOnly;
        internal readonly bool CallToString;
        internal readonly string File;      // null: standard error
        internal readonly Redaction Redaction;

        Settings()
        {
            CountOnly = Environment.GetEnvironmentVariable("ILPATCH_COUNT") == "1";
            CallToString = Environment.GetEnvironmentVariable("ILPATCH_TOSTRING") == "1";
            Redaction = new Redaction(Environment.GetEnvironmentVariable("ILPATCH_NO_REDACT") != "1",
                                      Environment.GetEnvironmentVariable("ILPATCH_REDACT") ?? "");
            string file = Environment.GetEnvironmentVariable("ILPATCH_OUTPUT");
            File = string.IsNullOrEmpty(file) ? null : Edition.FileName(file);
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
    }
}
