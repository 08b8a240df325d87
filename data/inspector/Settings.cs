// The environment variables, read once.

using System;
using System.Threading;

namespace MyProfiler
{
    sealed class Settings
    {
        static Settings current;

        internal readonly bool CountOnly;
        internal readonly bool CallToString;
        internal readonly bool Elapsed;
        internal readonly string File;      // null: standard error
        internal readonly Redaction Redaction;

        // Limits of a value, as in src/values/limits.def: levels, elements, chars of a string and
        // of all.
        internal readonly int Depth = Limit("ILPATCH_DEPTH", 1, 3, 10);
        internal readonly int Elements = Limit("ILPATCH_ELEMENTS", 1, 8, 1000);
        internal readonly int Text = Limit("ILPATCH_TEXT", 1, 200, 4000);
        internal readonly int Width = Limit("ILPATCH_WIDTH", 40, 480, 16000);

        Settings()
        {
            CountOnly = Environment.GetEnvironmentVariable("ILPATCH_COUNT") == "1";
            CallToString = Environment.GetEnvironmentVariable("ILPATCH_TOSTRING") == "1";
            Elapsed = Environment.GetEnvironmentVariable("ILPATCH_ELAPSED") == "1";
            Redaction = new Redaction(Environment.GetEnvironmentVariable("ILPATCH_NO_REDACT") != "1",
                                      Environment.GetEnvironmentVariable("ILPATCH_REDACT") ?? "");
            string file = Environment.GetEnvironmentVariable("ILPATCH_OUTPUT");
            File = string.IsNullOrEmpty(file) ? null : Edition.FileName(file);
        }

        // Invalid numbers are ignored.
        static int Limit(string name, int least, int usual, int most)
        {
            string text = Environment.GetEnvironmentVariable(name) ?? "";
            int number = 0;
            for (int i = 0; i < text.Length && number >= 0; i++)
            {
                number = text[i] >= '0' && text[i] <= '9' && number <= most ? 10 * number + text[i] - '0' : -1;
            }
            return number < least || number > most ? usual : number;
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
