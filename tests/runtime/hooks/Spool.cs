// Reads a spool by itself, as docs/TRACE.md describes it.
//
//   Spool FILE balance    per thread, that ends meet enters; per method, that each enter has one end
//   Spool FILE stacks     each stack that methods were entered in, and how often, sorted
//   Spool FILE values    enters and ends in their order, with what is recorded of arguments and values
//   Spool FILE ends       per method: enters, leaves, tail calls, unwound
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

static class Spool
{
    const uint Magic = 0x01544C49, Growing = 0x02544C49;
    const int Head = 4096;
    // T: time, N: number, X: text
    static readonly Dictionary<int, string> Fields = new Dictionary<int, string> {
        { 1, "TNXX" }, { 2, "TNN" }, { 3, "TXX" }, { 4, "TNXXXX" }, { 5, "TN" }, { 6, "T" }, { 8, "TN" }, { 16, "TN" }, { 17, "TX" }, { 18, "T" },
        { 19, "TN" }, { 20, "TNX" }, { 21, "TN" }, { 22, "TNX" }, { 23, "TN" }, { 24, "TN" }, { 25, "T" }, { 26, "TN" }, { 32, "TN" } };
    const int Method = 4, Enter = 19, Leave = 21, Gap = 25, Brief = 32;

    sealed class Count { public int Enters, Leaves, TailCalls, Unwound, Open; }

    static readonly Dictionary<ulong, string> names = new Dictionary<ulong, string>();
    static readonly Dictionary<uint, List<ulong>> stacks = new Dictionary<uint, List<ulong>>();
    static readonly SortedDictionary<string, Count> counts = new SortedDictionary<string, Count>(StringComparer.Ordinal);
    static readonly SortedDictionary<string, int> entered = new SortedDictionary<string, int>(StringComparer.Ordinal);
    static bool wantsStacks, wantsValues;
    static int bad;

    static ulong Number(byte[] bytes, ref int at)
    {
        ulong value = 0;
        for (int shift = 0; ; shift += 7)
        {
            value |= (ulong)(bytes[at] & 127) << shift;
            if (bytes[at++] < 128) { return value; }
        }
    }

    static void Take(uint thread, int kind, List<ulong> numbers, List<string> texts)
    {
        if (!stacks.TryGetValue(thread, out var stack)) { stacks[thread] = stack = new List<ulong>(); }
        if (kind == Method) { names[numbers[0]] = texts[1] + "::" + texts[2]; }
        if (kind == Gap)
        {
            foreach (ulong id in stack) { counts[names[id]].Open++; }
            stack.Clear();
        }
        if (kind == Brief)
        {
            Take(thread, Enter, numbers, texts);
            Take(thread, Leave, numbers, texts);
        }
        if (kind < 19 || kind > 24) { return; }
        string name = names[numbers[0]];
        if (wantsValues) { Console.WriteLine("++--~!"[kind - 19] + " " + name + (texts.Count != 0 ? " " + texts[0] : "")); }
        if (!counts.TryGetValue(name, out var count)) { counts[name] = count = new Count(); }
        if (kind <= 20)
        {
            count.Enters++;
            stack.Add(numbers[0]);
            if (!wantsStacks) { return; }
            string path = string.Join(";", stack.Select(id => names[id]));
            entered[path] = entered.GetValueOrDefault(path) + 1;
            return;
        }
        if (kind == 23) { count.TailCalls++; } else if (kind == 24) { count.Unwound++; } else { count.Leaves++; }
        if (stack.Count == 0 || stack[^1] != numbers[0]) { bad++; } else { stack.RemoveAt(stack.Count - 1); }
    }

    static void Main(string[] args)
    {
        wantsStacks = args[1] == "stacks";
        wantsValues = args[1] == "values";
        byte[] bytes = File.ReadAllBytes(args[0]);
        Read(bytes);
        foreach (var stack in stacks.Values) { foreach (ulong id in stack) { counts[names[id]].Open++; } }
        Print(args[1]);
    }

    // A chunk that grows may be there as a whole, too, which counts then.
    static SortedDictionary<(uint Thread, uint Sequence), int> Chunks(byte[] bytes)
    {
        var chunks = new SortedDictionary<(uint, uint), int>();
        uint processes = 0;
        for (int chunk = Encoding.ASCII.GetString(bytes, 0, 8) == "ILTspool" ? Head : 0; chunk < bytes.Length;)
        {
            if (bytes[chunk] == 0) { chunk++; continue; }
            uint magic = BitConverter.ToUInt32(bytes, chunk);
            if (magic != Magic && magic != Growing) { throw new InvalidDataException("no chunk at " + chunk); }
            uint thread = BitConverter.ToUInt32(bytes, chunk + 16);
            var key = (thread, thread == 0 ? processes++ : BitConverter.ToUInt32(bytes, chunk + 20));
            if (magic == Magic || !chunks.ContainsKey(key)) { chunks[key] = chunk; }
            chunk += 32 + BitConverter.ToInt32(bytes, chunk + 4);
        }
        return chunks;
    }

    // The chunks of the process itself, which have the names, come first; those of a thread in their order.
    static void Read(byte[] bytes)
    {
        foreach (var (key, chunk) in Chunks(bytes))
        {
            int end = chunk + 32 + BitConverter.ToInt32(bytes, chunk + 4);
            bool grows = BitConverter.ToUInt32(bytes, chunk) == Growing;
            for (int at = chunk + 32; at < end && !(grows && bytes[at] == 0);)
            {
                var numbers = new List<ulong>();
                var texts = new List<string>();
                int kind = bytes[at++];
                foreach (char field in Fields[kind])
                {
                    ulong number = Number(bytes, ref at);
                    if (field == 'N') { numbers.Add(number); }
                    if (field != 'X') { continue; }
                    texts.Add(Encoding.UTF8.GetString(bytes, at, (int)number));
                    at += (int)number;
                }
                Take(key.Thread, kind, numbers, texts);
            }
        }
    }

    static void Print(string what)
    {
        if (what == "stacks")
        {
            foreach (var path in entered) { Console.WriteLine(path.Value + " " + path.Key); }
            return;
        }
        foreach (var (name, c) in counts)
        {
            bool balanced = c.Enters == c.Leaves + c.TailCalls + c.Unwound + c.Open;
            if (what == "ends") { Console.WriteLine(name + " " + c.Enters + " " + c.Leaves + " " + c.TailCalls + " " + c.Unwound); }
            else if (!balanced || c.Open != 0) { Console.WriteLine((balanced ? "open " : "unbalanced ") + name); }
        }
        if (what == "balance") { Console.WriteLine("crossed " + bad); }
    }
}
