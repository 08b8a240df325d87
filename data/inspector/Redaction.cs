// Hides values under secret names, and values of certain types (docs/VALUES.md). The same as
// src/values/redaction.c and write_hidden.c, which compare bytes of UTF-8 where this compares
// chars.

using System;

namespace MyProfiler
{
    sealed class Redaction
    {
        internal const string Mark = "{redacted}";

        // The effect of a name on its value: All hides it unless it is null, Content unless it is
        // null or harmless.
        internal const int None = 0, Content = 1, All = 2;

        // From src/values/secrets.def.
        const string Common =
            "*password*,*passwd*,*passphrase*,passcode,pwd,otp,*secret,secretkey,*token,jwt,bearer,*apikey,accesskey,accountkey," +
            "*privatekey,signingkey,encryptionkey,sharedkey,masterkey,*authorization,*credential,creds,connectionstring,connstring," +
            "connstr,cookie,*sessionid,sessionkey,cardnumber,cvv,cvc";

        const string TypePrefix = "type:";
        const int Letters = 128;

        // "*card*"
        sealed class Pattern
        {
            internal Pattern Next;              // in the list of a first letter
            internal string Text;               // without the stars; for names folded, and only the
                                                // words
            internal bool OpenBegin, OpenEnd;   // a star is there
            internal int Secrecy;
        }

        readonly Pattern[] names = new Pattern[Letters + 1];    // the last is for non-ASCII letters
        Pattern types;

        // `added` has names and types, separated by ','.
        internal Redaction(bool common, string added)
        {
            if (common)
            {
                Add(Common, Content);
            }
            Add(added, All);
        }

        void Add(string list, int secrecy)
        {
            for (int begin = 0; begin < list.Length; )
            {
                int end = begin;
                while (end < list.Length && list[end] != ',')
                {
                    end++;
                }
                AddOne(list.Substring(begin, end - begin), secrecy);
                begin = end + 1;
            }
        }

        void AddOne(string text, int secrecy)
        {
            bool ofType = text.StartsWith(TypePrefix, StringComparison.Ordinal);
            int begin = ofType ? TypePrefix.Length : 0, end = text.Length;
            Pattern pattern = new Pattern();
            pattern.OpenBegin = begin < end && text[begin] == '*';
            begin += pattern.OpenBegin ? 1 : 0;
            pattern.OpenEnd = begin < end && text[end - 1] == '*';
            end -= pattern.OpenEnd ? 1 : 0;
            pattern.Secrecy = secrecy;
            pattern.Text = "";
            for (int i = begin; i < end; i++)
            {
                pattern.Text += ofType ? text[i].ToString() : IsInWord(text[i]) ? Folded(text[i]).ToString() : "";
            }
            if (pattern.Text.Length == 0)
            {
                return;
            }
            int letter = ofType ? 0 : Letter(pattern.Text[0]);
            pattern.Next = ofType ? types : names[letter];
            if (ofType)
            {
                types = pattern;
            }
            else
            {
                names[letter] = pattern;
            }
        }

        static int Letter(char c)
        {
            return c < Letters ? c : Letters;
        }

        internal int OfName(string name)
        {
            return OfName(name, 0);
        }

        // From an index on.
        int OfName(string name, int begin)
        {
            int found = None;
            for (int at = begin; at < name.Length; at++)
            {
                for (Pattern pattern = names[Letter(Folded(name[at]))]; pattern != null; pattern = pattern.Next)
                {
                    if (pattern.Secrecy > found && FitsWords(pattern, name, at))
                    {
                        found = pattern.Secrecy;
                    }
                }
            }
            return found;
        }

        // "Shop.Vault::GetToken"; in a compiler-generated type, its name counts, too:
        // "Shop.Vault/<GetToken>d__3::MoveNext".
        internal int OfMethod(string method)
        {
            int begin = 0;
            for (int i = 0; method != null && i + 1 < method.Length; i++)
            {
                if (method[i] == '/' && method[i + 1] == '<')
                {
                    begin = i + 1;
                    break;
                }
                begin = method[i] == ':' && method[i + 1] == ':' ? i + 2 : begin;
            }
            return method == null ? None : OfName(method, begin);
        }

        // Values that a name alone does not make secret: numbers of tokens, dates, flags.
        internal static bool IsHarmless(object value)
        {
            Type type = value.GetType();
            return value is bool || value is char || value is IntPtr || value is UIntPtr || type.IsEnum ||
                   (Format.IsCoreLibrary(type) &&
                    (type.FullName == "System.Threading.CancellationToken" || type.FullName == "System.Threading.CancellationTokenSource" ||
                     (type.IsValueType && value is IFormattable && type.FullName != "System.Guid")));
        }

        // Also of a type derived from a hidden one.
        internal bool HidesType(Type type)
        {
            for (; types != null && type != null; type = Edition.BaseType(type))
            {
                string name = type.FullName == null ? "" : Before(type.FullName, '[');
                string plain = WithoutArities(name);
                for (Pattern pattern = types; pattern != null; pattern = pattern.Next)
                {
                    if (Fits(pattern, name) || Fits(pattern, plain))
                    {
                        return true;
                    }
                }
            }
            return false;
        }

        static string Before(string name, char end)
        {
            int at = name.IndexOf(end);
            return at < 0 ? name : name.Substring(0, at);
        }

        // "Box+Side" of "Box`1+Side`2": each enclosing type may have an arity.
        static string WithoutArities(string name)
        {
            int at, end;
            while ((at = name.IndexOf('`')) >= 0)
            {
                for (end = at + 1; end < name.Length && name[end] >= '0' && name[end] <= '9';)
                {
                    end++;
                }
                name = name.Substring(0, at) + name.Substring(end, name.Length - end);
            }
            return name;
        }

        static bool Fits(Pattern pattern, string name)
        {
            int length = pattern.Text.Length;
            for (int at = 0; at + length <= name.Length; at++)
            {
                if ((at == 0 || pattern.OpenBegin) && (at + length == name.Length || pattern.OpenEnd) &&
                    name.Substring(at, length) == pattern.Text)
                {
                    return true;
                }
            }
            return false;
        }

        // Whole words, regardless of separators.
        static bool FitsWords(Pattern pattern, string name, int at)
        {
            if (!pattern.OpenBegin && !BeginsWord(name, at))
            {
                return false;
            }
            string text = pattern.Text;
            for (int i = 0; i < text.Length; i++, at++)
            {
                while (i != 0 && at < name.Length && !IsInWord(name[at]))
                {
                    at++;
                }
                if (at >= name.Length || Folded(name[at]) != text[i])
                {
                    return false;
                }
            }
            return pattern.OpenEnd || EndsWord(name, at) ||
                   (Folded(name[at]) == 's' && EndsWord(name, at + 1));     // the plural
        }

        // "apiKey2_x", "XMLReader": at k, 2, x, R.
        static bool BeginsWord(string name, int at)
        {
            char c = name[at], before = at == 0 ? '_' : name[at - 1];
            return !IsInWord(before) || IsDigit(c) != IsDigit(before) ||
                   (IsUpper(c) && (!IsUpper(before) || (at + 1 < name.Length && IsLower(name[at + 1]))));
        }

        static bool EndsWord(string name, int at)
        {
            return at == name.Length || !IsInWord(name[at]) || BeginsWord(name, at);
        }

        static bool IsUpper(char c)
        {
            return c >= 'A' && c <= 'Z';
        }

        static bool IsDigit(char c)
        {
            return c >= '0' && c <= '9';
        }

        // Only ASCII letters have case here: the tables of the runtimes differ.
        static bool IsLower(char c)
        {
            return (c >= 'a' && c <= 'z') || c >= '\x80';
        }

        static bool IsInWord(char c)
        {
            return IsUpper(c) || IsLower(c) || IsDigit(c);
        }

        static char Folded(char c)
        {
            return IsUpper(c) ? (char)(c + ('a' - 'A')) : c;
        }
    }
}
