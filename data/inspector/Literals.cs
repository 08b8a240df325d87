// Values of the framework with a short text form.

using System;
using System.Globalization;
using System.Reflection;
using System.Text;

namespace MyProfiler
{
    sealed class TypeShape : Shape
    {
        internal override void Append(Text text, object value, int depth)
        {
            text.Append("typeof(");
            Format.TypeName(text, (Type)value);
            text.Append(")");
        }
    }

    // System.Object has no fields.
    sealed class TextShape : Shape
    {
        internal override void Append(Text text, object value, int depth)
        {
            text.Append(value is Version ? value.ToString() : "object");
        }
    }

    sealed class BuilderShape : Shape
    {
        internal override void Append(Text text, object value, int depth)
        {
            StringBuilder builder = (StringBuilder)value;
            int length = builder.Length;
            text.AppendString(builder.ToString(0, Math.Min(length, Text.PrefixLength)), length, false);
        }
    }

    // As the program wrote it.
    sealed class UriShape : Shape
    {
        FieldInfo original, text;

        internal static Shape Of(Type type, string[] f)
        {
            UriShape uri = new UriShape();
            uri.original = Layout.Find(type, f[0], typeof(string));
            uri.text = Layout.Find(type, f[1], typeof(string));
            return uri.original != null && uri.text != null ? uri : null;
        }

        internal override void Append(Text line, object value, int depth)
        {
            Format.Value(line, original.GetValue(value) ?? text.GetValue(value), depth);
        }
    }

    sealed class IndexShape : Shape
    {
        FieldInfo number;

        internal static Shape Of(Type type, string value)
        {
            IndexShape index = new IndexShape();
            index.number = Layout.Find(type, value, typeof(int));
            return index.number == null ? null : index;
        }

        // Indexes from the end are stored as complements.
        internal override void Append(Text text, object value, int depth)
        {
            int index = Layout.Number(number, value);
            text.Append((index < 0 ? "^" + (~index).ToString(CultureInfo.InvariantCulture)
                : index.ToString(CultureInfo.InvariantCulture)));
        }
    }

    sealed class RangeShape : Shape
    {
        FieldInfo start, end;

        internal static Shape Of(Type type, string[] f)
        {
            RangeShape range = new RangeShape();
            range.start = Layout.Find(type, f[0]);
            range.end = Layout.Find(type, f[1]);
            return range.start != null && range.end != null ? range : null;
        }

        internal override void Append(Text text, object value, int depth)
        {
            Format.Value(text, start.GetValue(value), depth);
            text.Append("..");
            Format.Value(text, end.GetValue(value), depth);
        }
    }

    // The time for its digits grows faster than their number, and more than some hundred would not
    // fit a line.
    sealed class BigNumber : Shape
    {
        const int MaxWords = 64;

        FieldInfo words;

        internal static Shape Of(Type type, string bits)
        {
            BigNumber number = new BigNumber();
            number.words = Layout.Find(type, bits, typeof(Array));
            return number.words != null && typeof(IFormattable).IsAssignableFrom(type) && IsOfFramework(type) ? number : null;
        }

        internal static bool IsOfFramework(Type type)
        {
            string name = type.Assembly.FullName;
            return (name.StartsWith("System.", StringComparison.Ordinal) || name.StartsWith("System,", StringComparison.Ordinal)) &&
                   (name.EndsWith("=b03f5f7f11d50a3a", StringComparison.Ordinal) ||
                    name.EndsWith("=b77a5c561934e089", StringComparison.Ordinal));
        }

        internal override void Append(Text text, object value, int depth)
        {
            Array bits = (Array)words.GetValue(value);
            text.AppendName(bits != null && bits.Length > MaxWords
                ? "{...}"
                : ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
        }
    }

    // IPAddress: the text of a copy, since ToString() of a type that the program derives is the
    // program's, and its first call changes the object.
    sealed class AddressShape : Shape
    {
        FieldInfo number, numbers;
        ConstructorInfo ofNumber, ofBytes;

        internal static Shape Of(Type type, string[] f)
        {
            AddressShape shape = new AddressShape();
            shape.number = Layout.Find(type, f[0], typeof(uint));
            shape.numbers = Layout.Find(type, f[1], typeof(ushort[]));
            shape.ofNumber = type.GetConstructor(new Type[] { typeof(long) });
            shape.ofBytes = type.GetConstructor(new Type[] { typeof(byte[]), typeof(long) });
            return shape.number == null || shape.numbers == null || shape.ofNumber == null || shape.ofBytes == null ||
                   !BigNumber.IsOfFramework(type) ? null : shape;
        }

        internal string TextOf(object address, bool brackets)
        {
            long own = (uint)number.GetValue(address);
            ushort[] parts = (ushort[])numbers.GetValue(address);
            if (parts == null)
            {
                return ofNumber.Invoke(new object[] { own }).ToString();
            }
            byte[] bytes = new byte[2 * parts.Length];
            for (int i = 0; i < bytes.Length; i++)
            {
                bytes[i] = (byte)(parts[i / 2] >> (i % 2 == 0 ? 8 : 0));
            }
            string text = ofBytes.Invoke(new object[] { bytes, own }).ToString();
            return brackets ? "[" + text + "]" : text;
        }

        internal override void Append(Text text, object address, int depth)
        {
            text.AppendName(TextOf(address, false));
        }
    }

    // IPEndPoint.
    sealed class EndPointShape : Shape
    {
        FieldInfo address, port;

        internal static Shape Of(Type type, string[] f)
        {
            EndPointShape shape = new EndPointShape();
            shape.address = Layout.Find(type, f[0]);
            shape.port = Layout.Find(type, f[1], typeof(int));
            return shape.address == null || shape.port == null ? null : shape;
        }

        internal override void Append(Text text, object value, int depth)
        {
            object inner = address.GetValue(value);
            AddressShape shape = inner == null ? null : Shapes.Of(inner.GetType()) as AddressShape;
            text.AppendName(shape == null ? "{...}"
                : shape.TextOf(inner, true) + ":" + Layout.Number(port, value).ToString(CultureInfo.InvariantCulture));
        }
    }
}
