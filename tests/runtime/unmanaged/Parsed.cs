// Documents of System.Text.Json whose rows and text are not what they were: as after they were disposed, and others write into the
// arrays that they had. "still": changed before each value, always in the same way. "moving": by other threads, as values are shown.

using System;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Threading;

static class Parsed
{
    const string Json = """
        {"a":[1,-2.5e7,"b\u0041\ud83d\ude00\n",[],[[true,false],{"x":{"y":null}}]],"password":"p","é":{"k":"€","k2":12345678901234567890},"token":7,"z":[{},{"b":[0]}]}
        """;

    const string Written = "\\\"u0{}[]9-.eE \0\u00ff";

    static uint state = 1;
    static byte[] text, rows;
    static int length;

    static JsonElement Element(JsonElement element) { return element; }
    static JsonDocument Document(JsonDocument document) { return document; }
    static JsonProperty Property(JsonProperty property) { return property; }

    static int Next(int below)
    {
        state = state * 1664525 + 1013904223;
        return (int)((state >> 8) % (uint)below);
    }

    static object Read(object of, string field)
    {
        return of.GetType().GetField(field, BindingFlags.Instance | BindingFlags.NonPublic).GetValue(of);
    }

    // A bit, a byte, a small number or a row of another token in the rows; a byte in the text.
    static void Change()
    {
        int row = 12 * Next(length / 12);
        switch (Next(6))
        {
            case 0: rows[Next(length)] ^= (byte)(1 << Next(8)); break;
            case 1: rows[Next(length)] = (byte)Next(256); break;
            case 2: BitConverter.TryWriteBytes(rows.AsSpan(row + 4 * Next(2)), Next(40)); break;
            case 3: BitConverter.TryWriteBytes(rows.AsSpan(row + 8), Next(12) << 28 | Next(40)); break;
            case 4: rows.AsSpan(row, 12).CopyTo(rows.AsSpan(12 * Next(length / 12))); break;
            default: text[Next(text.Length)] = (byte)Written[Next(Written.Length)]; break;
        }
    }

    static int Main(string[] args)
    {
        int count = int.Parse(args[1]);
        text = Encoding.UTF8.GetBytes(Json);
        JsonDocument document = JsonDocument.Parse(text);
        object parsed = Read(document, "_parsedData");
        rows = (byte[])Read(parsed, "_data");
        length = (int)Read(parsed, "<Length>k__BackingField");
        byte[] firstText = (byte[])text.Clone(), firstRows = (byte[])rows.Clone();
        JsonElement[] elements = document.RootElement.EnumerateObject().Select(property => property.Value).Append(document.RootElement).ToArray();
        JsonProperty[] properties = document.RootElement.EnumerateObject().ToArray();
        bool stopped = false;
        Thread[] threads = new Thread[args[0] == "moving" ? 2 : 0];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() =>
            {
                for (int n = 0; !Volatile.Read(ref stopped); n++)
                {
                    Change();
                    if (n % 4 == 0)
                    {
                        firstText.CopyTo(text, 0);
                        firstRows.CopyTo(rows, 0);
                    }
                }
            });
            threads[i].Start();
        }
        for (int i = 0; i < count; i++)
        {
            if (threads.Length == 0)
            {
                firstText.CopyTo(text, 0);
                firstRows.CopyTo(rows, 0);
                for (int n = Next(4); n > 0; n--)
                {
                    Change();
                }
            }
            Element(elements[i % elements.Length]);
            Document(document);
            Property(properties[i % properties.Length]);
        }
        stopped = true;
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine("shown");
        return 0;
    }
}
