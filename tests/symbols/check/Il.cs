// IL as a list of instructions, by System.Reflection.Emit's table of opcodes, and where those of a body are in another one
// that has more.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;

readonly record struct Insn(int Offset, short Op, long Operand, int Size);

static class Il
{
    static readonly Dictionary<short, OpCode> opcodes = new();

    static Il()
    {
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            var op = (OpCode)field.GetValue(null);
            opcodes[op.Value] = op;
        }
    }

    public static List<Insn> Decode(byte[] il)
    {
        var all = new List<Insn>();
        for (int at = 0; at < il.Length;)
        {
            int start = at;
            short value = il[at] == 0xFE ? (short)(0xFE00 | il[at + 1]) : il[at];
            at += il[at] == 0xFE ? 2 : 1;
            OpCode op = opcodes[value];
            long operand = 0;
            int size = op.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BinaryPrimitives.ReadInt32LittleEndian(il.AsSpan(at)),
                _ => 4,
            };
            bool branch = op.OperandType is OperandType.ShortInlineBrTarget or OperandType.InlineBrTarget;
            if (branch)
                value = Long(op); // targets and widths change
            else if (op.OperandType != OperandType.InlineSwitch)
                for (int i = size; i-- > 0;)
                    operand = operand << 8 | il[at + i];
            else
                operand = size;
            all.Add(new Insn(start, value, operand, at + size - start));
            at += size;
        }
        return all;
    }

    static short Long(OpCode op)
    {
        string name = op.Name;
        if (!name.EndsWith(".s"))
            return op.Value;
        foreach (OpCode other in opcodes.Values)
            if (other.Name == name[..^2])
                return other.Value;
        throw new InvalidOperationException(name);
    }

    // Where each old offset that begins an instruction is now: in front of what was inserted there. Inserted code never
    // begins with what it is in front of, so the first match is the right one.
    const short Tail = unchecked((short)0xFE14);

    public static Dictionary<int, int> Map(byte[] before, byte[] after)
    {
        List<Insn> old = Decode(before), now = Decode(after);
        var map = new Dictionary<int, int>();
        int at = 0;
        foreach (Insn insn in old)
        {
            int start = at;
            if (insn.Op == Tail && now[at].Op == 0 && now[at + 1].Op == 0)
            {
                map[insn.Offset] = now[at].Offset; // taken away: there are nops
                at += 2;
                continue;
            }
            while (at < now.Count && (now[at].Op != insn.Op || now[at].Operand != insn.Operand))
                at++;
            if (at == now.Count)
                throw new InvalidOperationException($"IL_{insn.Offset:x4} is not in the new body");
            map[insn.Offset] = now[start].Offset;
            at++;
        }
        map[before.Length] = at < now.Count ? -1 : after.Length;
        return map;
    }
}
