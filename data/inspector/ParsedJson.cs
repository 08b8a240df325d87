// JSON parsed by System.Text.Json, shown as the nodes of JSON are. A document has its text, and a row of 12 bytes for each token
// (JsonDocument.DbRow, the same in all versions):
//
//   int   the token's offset in the text; a string's is after its quote
//   int   its length, without quotes; of an array the number of elements; of an object that of properties, before .NET 9 of rows.
//           The highest bit: a string has escapes, an array has arrays or objects
//   int   the highest 4 bits are its kind (JsonTokenType); the others, of an array or object, the number of rows to its end
//
// Both are in arrays that the program may have returned to a pool, so that others write to them: rows are checked against the
// arrays' lengths, and text against JSON's grammar.

using System;
using System.Globalization;
using System.Reflection;

namespace MyProfiler
{
    sealed class JsonDocumentShape : Collection
    {
        FieldInfo text, table, rows, length;

        internal static Shape Of(Type type, string[] f)
        {
            JsonDocumentShape document = new JsonDocumentShape();
            document.text = Layout.Find(type, f[0]);
            document.table = Layout.Find(type, f[1]);
            if (document.text == null || document.table == null || !(Shapes.Of(document.text.FieldType) is MemoryShape))
            {
                return null;
            }
            document.rows = Layout.Find(document.table.FieldType, "_data", typeof(byte[]));
            document.length = Layout.Find(document.table.FieldType, "<Length>k__BackingField", typeof(int));
            return document.rows == null || document.length == null ? null : document;
        }

        // Null: it is disposed, or its text is not in an array.
        internal ParsedJson Open(object document)
        {
            Piece piece;
            object at = table.GetValue(document);
            byte[] all = (byte[])rows.GetValue(at);
            if (all == null || !((MemoryShape)Shapes.Of(text.FieldType)).Read(text.GetValue(document), out piece) || piece.Array == null)
            {
                return null;
            }
            return new ParsedJson((byte[])piece.Array, piece.First, piece.Count, all, Layout.Number(length, at));
        }

        internal override void Append(Text text, object value, int depth)
        {
            ParsedJson json = Open(value);
            Token root;
            if (json != null && json.Read(0, out root))
            {
                json.Append(text, root, depth);
            }
            else
            {
                text.Append("{...}");
            }
        }
    }

    // An element is in a document, at an offset in its rows.
    sealed class JsonElementShape : Collection
    {
        FieldInfo parent, offset;

        internal static Shape Of(Type type, string[] f)
        {
            JsonElementShape element = new JsonElementShape();
            element.parent = Layout.Find(type, f[0]);
            element.offset = Layout.Find(type, f[1], typeof(int));
            return element.parent == null || element.offset == null ? null : element;
        }

        // Null: it has none, or an unexpected one.
        internal ParsedJson Open(object element, out Token token)
        {
            object document = parent.GetValue(element);
            JsonDocumentShape shape = document == null ? null : Shapes.Of(document.GetType()) as JsonDocumentShape;
            ParsedJson json = shape == null ? null : shape.Open(document);
            int at = Layout.Number(offset, element);
            token = new Token();
            return json != null && at >= 0 && at % ParsedJson.RowSize == 0 && json.Read(at / ParsedJson.RowSize, out token) ? json : null;
        }

        internal override void Append(Text text, object value, int depth)
        {
            Token token;
            ParsedJson json = Open(value, out token);
            if (json != null)
            {
                json.Append(text, token, depth);
            }
            else
            {
                text.Append("{...}");
            }
        }
    }

    // An element of an object, with its name before it.
    sealed class JsonPropertyShape : Shape
    {
        FieldInfo element;

        internal static Shape Of(Type type, string value)
        {
            JsonPropertyShape property = new JsonPropertyShape();
            property.element = Layout.Find(type, value);
            return property.element == null || !(Shapes.Of(property.element.FieldType) is JsonElementShape) ? null : property;
        }

        internal override void Append(Text text, object value, int depth)
        {
            Token name, token = new Token();
            ParsedJson json = depth > Settings.Current.Depth ? null
                : ((JsonElementShape)Shapes.Of(element.FieldType)).Open(element.GetValue(value), out token);
            if (json != null && json.Read(token.Row - 1, out name) && name.Kind == Token.Name)
            {
                json.Property(text, name, token, depth);
            }
            else
            {
                text.Append("{...}");
            }
        }
    }

    struct Token
    {
        internal const int Object = 1, Array = 3, Name = 5, String = 7, Number = 8, True = 9, False = 10, Null = 11;

        internal int Kind;
        internal int Begin, Size;       // of its text; of arrays and objects, the count as above
        internal int Row, Next;         // its own row; the one after it and its content
    }

    sealed class ParsedJson
    {
        internal const int RowSize = 12;
        const int MaxCount = 256, MaxDigits = 1000;
        const int MostChars = 4002;     // the limit of a string
        const int MostCounted = 10000;

        readonly byte[] bytes, rows;
        readonly int first, size, rowCount;

        internal ParsedJson(byte[] bytes, int first, int size, byte[] rows, int length)
        {
            this.bytes = bytes;
            this.first = first;
            this.size = size;
            this.rows = rows;
            rowCount = Math.Max(0, Math.Min(length, rows.Length)) / RowSize;
        }

        // False: there is none, or its text is outside the document. Its content may be.
        internal bool Read(int row, out Token token)
        {
            token = new Token();
            if (row < 0 || row >= rowCount)
            {
                return false;
            }
            int begin = Number(row * RowSize), length = Number(row * RowSize + 4) & int.MaxValue, rest = Number(row * RowSize + 8);
            int held = rest & 0x0fffffff;
            token.Kind = (int)((uint)rest >> 28);
            token.Begin = unchecked(first + begin);
            token.Size = length;
            token.Row = row;
            token.Next = row + 1;
            if (token.Kind == Token.Object || token.Kind == Token.Array)
            {
                token.Next = row + held + 1;
                return held != 0 && held < rowCount - row;
            }
            return begin >= 0 && begin <= size && length <= size - begin;
        }

        int Number(int at)
        {
            return rows[at] | rows[at + 1] << 8 | rows[at + 2] << 16 | rows[at + 3] << 24;
        }

        internal void Append(Text text, Token token, int depth)
        {
            switch (token.Kind)
            {
                case Token.Object:
                    AppendObject(text, token, depth);
                    break;
                case Token.Array:
                    AppendArray(text, token, depth);
                    break;
                case Token.String:
                    AppendString(text, token);
                    break;
                case Token.Number:
                    AppendNumber(text, token);
                    break;
                case Token.True:
                    text.Append("true");
                    break;
                case Token.False:
                    text.Append("false");
                    break;
                case Token.Null:
                    text.Append("null");
                    break;
                default:
                    text.Append("{...}");
                    break;
            }
        }

        // ---- arrays and objects

        void AppendArray(Text text, Token array, int depth)
        {
            int end = array.Next - 1, next = array.Row + 1, shown = 0;
            if (array.Size > end - next)
            {
                text.Append("{...}");
                return;
            }
            if (!Collections.Open(text, array.Size, depth))
            {
                return;
            }
            Token item;
            bool goesOn = true;
            while (goesOn && shown < array.Size && next < end && Read(next, out item))
            {
                next = item.Next;
                goesOn = Format.Next(text, ref shown, Settings.Current.Elements);
                if (goesOn)
                {
                    Append(text, item, depth + 1);
                }
            }
            Collections.Close(text, array.Size, shown, goesOn);
        }

        void AppendObject(Text text, Token value, int depth)
        {
            int end = value.Next - 1, next = value.Row + 1, shown = 0;
            bool more;
            int count = Count(value, out more);
            if (count > (end - next) / 2)
            {
                text.Append("{...}");
                return;
            }
            if (!Collections.Open(text, count.ToString(CultureInfo.InvariantCulture) + (more ? "+" : ""), count == 0, depth))
            {
                return;
            }
            Token name, item;
            bool goesOn = true;
            while (goesOn && shown < count && ReadProperty(next, end, out name, out item))
            {
                next = item.Next;
                goesOn = Format.Next(text, ref shown, Settings.Current.Elements);
                if (goesOn)
                {
                    Property(text, name, item, depth);
                }
            }
            Collections.Close(text, count, shown, goesOn);
        }

        // Before .NET 9 an object has the number of its rows instead, which is larger.
        int Count(Token value, out bool more)
        {
            int end = value.Next - 1, next = value.Row + 1, count = 0;
            Token name, item;
            more = false;
            if (value.Size != end - value.Row)
            {
                return value.Size;
            }
            while (count < MaxCount && ReadProperty(next, end, out name, out item))
            {
                next = item.Next;
                count++;
            }
            more = count == MaxCount && next < end;
            return count;
        }

        // The property that begins at a row before `end`.
        bool ReadProperty(int row, int end, out Token name, out Token value)
        {
            value = new Token();
            return Read(row, out name) && row < end && name.Kind == Token.Name && name.Next < end && Read(name.Next, out value);
        }

        // Under a secret name numbers and booleans are hidden, too: in nodes they are objects,
        // which are hidden.
        internal void Property(Text text, Token name, Token value, int depth)
        {
            int secrecy = Settings.Current.Redaction.OfName(AppendString(text, name));
            text.Append("=");
            if (secrecy != Redaction.None && value.Kind != Token.Null)
            {
                text.Append(Redaction.Mark);
            }
            else
            {
                Append(text, value, depth + 1);
            }
        }

        // ---- strings

        // Returns its beginning.
        string AppendString(Text text, Token token)
        {
            char[] chars = new char[Math.Min(token.Size, MostChars)];
            int at = token.Begin, end = token.Begin + token.Size, count = 0;
            while (at < end && count < MostCounted)
            {
                int code = bytes[at] == '\\' ? Escaped(ref at, end) : Decoded(ref at, end);
                if (code > char.MaxValue)
                {
                    Add(chars, ref count, 0xd7c0 + (code >> 10));
                    code = 0xdc00 | (code & 0x3ff);
                }
                Add(chars, ref count, code);
            }
            string start = new string(chars, 0, Math.Min(count, chars.Length));
            text.AppendString(start, count, at < end);
            return start;
        }

        static void Add(char[] chars, ref int count, int unit)
        {
            if (count < chars.Length)
            {
                chars[count] = (char)unit;
            }
            count++;
        }

        // An escape, or U+FFFD for a backslash without one.
        int Escaped(ref int at, int end)
        {
            int letter = end - at > 1 ? bytes[at + 1] : 0;
            at += 2;
            switch (letter)
            {
                case '"':
                case '\\':
                case '/':
                    return letter;
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
            }
            int code = letter == 'u' && end - at >= 4 ? Hex(at) : -1;
            at += code < 0 ? -1 : 4;
            return code < 0 ? 0xfffd : code;
        }

        // Four digits, or -1.
        int Hex(int at)
        {
            int code = 0;
            for (int i = at; i < at + 4; i++)
            {
                int c = bytes[i], letter = c | 0x20;
                bool isDigit = c >= '0' && c <= '9';
                if (!isDigit && (letter < 'a' || letter > 'f'))
                {
                    return -1;
                }
                code = code << 4 | (isDigit ? c - '0' : letter - 'a' + 10);
            }
            return code;
        }

        // A character of UTF-8 (RFC 3629), or U+FFFD for a byte that begins none.
        int Decoded(ref int at, int end)
        {
            int lead = bytes[at++];
            int more = lead < 0x80 ? 0 : lead < 0xc0 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
            int code = more <= 0 ? lead : lead & (0x3f >> more);
            if (more < 0 || more > end - at)
            {
                return 0xfffd;
            }
            for (int i = 0; i < more; i++)
            {
                if ((bytes[at + i] & 0xc0) != 0x80)
                {
                    return 0xfffd;
                }
                code = code << 6 | (bytes[at + i] & 0x3f);
            }
            int least = more == 0 ? 0 : more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
            if (code < least || code > 0x10ffff)
            {
                return 0xfffd;
            }
            at += more;
            return code;
        }

        // ---- numbers

        // With its digits as they are in the text.
        void AppendNumber(Text text, Token token)
        {
            char[] chars = new char[Math.Min(token.Size, MaxDigits + 1)];
            for (int i = 0; i < chars.Length; i++)
            {
                chars[i] = (char)bytes[token.Begin + i];
            }
            string number = new string(chars);
            if (IsNumber(number))
            {
                text.AppendName(number);
            }
            else
            {
                text.Append("{...}");
            }
        }

        // Whether it is a number of JSON (RFC 8259, 6).
        static bool IsNumber(string s)
        {
            int begin = s.Length > 0 && s[0] == '-' ? 1 : 0, at = AfterDigits(s, begin);
            bool right = at == begin + 1 || (at > begin && s[begin] != '0');
            if (at < s.Length && s[at] == '.')
            {
                begin = at + 1;
                at = AfterDigits(s, begin);
                right &= at > begin;
            }
            if (at < s.Length && (s[at] | 0x20) == 'e')
            {
                begin = at + 1;
                begin += begin < s.Length && (s[begin] == '+' || s[begin] == '-') ? 1 : 0;
                at = AfterDigits(s, begin);
                right &= at > begin;
            }
            return right && at == s.Length && s.Length <= MaxDigits;
        }

        static int AfterDigits(string s, int at)
        {
            while (at < s.Length && s[at] >= '0' && s[at] <= '9')
            {
                at++;
            }
            return at;
        }
    }
}
