// A line under construction: bounded, and always one line.

using System.Globalization;
using System.Text;

namespace MyProfiler
{
    sealed class Text
    {
        const int RoomToClose = 28;     // `"... (2147483647+ chars)` and a few brackets

        // The limit for a longer string: with a surrogate pair at the end.
        internal static int PrefixLength
        {
            get { return Settings.Current.Text + 2; }
        }

        readonly StringBuilder chars = new StringBuilder(160);
        int limit;
        bool full;
        object[] path;                  // the enclosing objects of the next part, the outermost
                                        // first

        // Starts a part of the line with a limit of its own; a longer one ends in `...`.
        internal void Part(int length)
        {
            limit = chars.Length + length;
            full = false;
        }

        internal bool IsFull
        {
            get { return full; }
        }

        // Enters an object at a depth, from 1 on; parts at greater depths are within it.
        internal void Enter(object value, int depth)
        {
            if (path == null)
            {
                path = new object[Settings.Current.Depth + 1];
            }
            path[depth - 1] = value;
        }

        internal bool IsWithin(object value, int depth)
        {
            for (int i = 0; i < depth - 1 && path != null; i++)
            {
                if ((object)path[i] == value)
                {
                    return true;
                }
            }
            return false;
        }

        // All of s or nothing of it, so that no escape and no surrogate pair is split.
        internal void Append(string s)
        {
            if (full)
            {
                return;
            }
            if (s.Length > limit - chars.Length)
            {
                full = true;
                s = "...";
            }
            chars.Append(s);
        }

        // For text that is not a string literal: names, and results of ToString().
        internal void AppendName(string s)
        {
            AppendName(s, 0, s.Length);
        }

        // A part of it.
        internal void AppendName(string s, int start, int end)
        {
            for (int i = start; i < end && !full; )
            {
                i = PlainRun(s, i, Least(end, i + limit - chars.Length));
                if (i < end)
                {
                    Append(Next(s, ref i, '\0'));
                }
            }
        }

        internal void AppendChar(char c)
        {
            int i = 0;
            Append("'" + Next(c.ToString(), ref i, '\'') + "'");
        }

        internal void AppendString(string s)
        {
            AppendString(s, s.Length, false);
        }

        // Of a longer text the start, at least PrefixLength of it. `atLeast`: the text is longer.
        internal void AppendString(string s, int length, bool atLeast)
        {
            int room = limit - chars.Length - RoomToClose;
            if (full)
            {
                return;
            }
            if (room <= 0)
            {
                full = true;
                chars.Append("...");
                return;
            }
            int end = chars.Length + room;
            int i = 0;
            chars.Append('"');
            while (true)
            {
                i = PlainRun(s, i, Least(Least(s.Length, Settings.Current.Text), i + end - chars.Length));
                if (i == s.Length)
                {
                    break;
                }
                int start = i;
                string next = Next(s, ref i, '"');
                if (i > Settings.Current.Text || next.Length > end - chars.Length)
                {
                    i = start;
                    break;
                }
                chars.Append(next);
            }
            chars.Append('"');
            if (i < s.Length)
            {
                chars.Append("... (").Append(length.ToString(CultureInfo.InvariantCulture))
                     .Append(atLeast ? "+ chars)" : " chars)");
            }
        }

        // Appends the characters from i to before `end` that need no escape in any quotes: most of
        // most texts.
        int PlainRun(string s, int i, int end)
        {
            int start = i;
            while (i < end && s[i] >= ' ' && s[i] < '\x7f' && s[i] != '"' && s[i] != '\'' && s[i] != '\\')
            {
                i++;
            }
            if (i > start)
            {
                chars.Append(i - start == s.Length ? s : s.Substring(start, i - start));
            }
            return i;
        }

        static int Least(int a, int b)
        {
            return a < b ? a : b;
        }

        public override string ToString()
        {
            return chars.ToString();
        }

        // The text for s[i], as in a C# literal with such quotes; i moves past it.
        static string Next(string s, ref int i, char quote)
        {
            char c = s[i++];
            switch (c)
            {
                case '\0': return "\\0";
                case '\a': return "\\a";
                case '\b': return "\\b";
                case '\t': return "\\t";
                case '\n': return "\\n";
                case '\v': return "\\v";
                case '\f': return "\\f";
                case '\r': return "\\r";
            }
            if (quote != '\0' && (c == quote || c == '\\'))
            {
                return "\\" + c;
            }
            if (char.IsHighSurrogate(c) && i < s.Length && char.IsLowSurrogate(s[i]))
            {
                return new string(new char[] { c, s[i++] });
            }
            if (IsHidden(c))
            {
                return "\\u" + ((int)c).ToString("x4", CultureInfo.InvariantCulture);
            }
            return c.ToString();
        }

        // By ranges, since the runtimes' tables of categories differ: control characters, line and
        // paragraph separators, those that change the direction of text, lone surrogates (not valid
        // in UTF-8).
        static bool IsHidden(char c)
        {
            return c < ' ' || (c >= '\x7f' && c <= '\x9f') || (c >= '\u2028' && c <= '\u202e') ||
                   (c >= '\u2066' && c <= '\u2069') || c == '\ufeff' || char.IsSurrogate(c);
        }
    }
}
