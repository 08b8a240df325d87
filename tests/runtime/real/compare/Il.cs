// A method body as System.Reflection.Metadata reads it, with its code cut into instructions by the opcode
// table of System.Reflection.Emit.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

readonly record struct Il(int Offset, int Size, OpCode Op, int OperandAt)
{
    public int End => Offset + Size;
}

sealed class Body
{
    public readonly byte[] Raw, Code;
    public readonly MethodBodyBlock Block;
    public readonly List<Il> Instructions = new();
    public readonly bool Tiny;

    static readonly Dictionary<int, OpCode> OpCodesByValue =
        typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
                       .Select(f => (OpCode)f.GetValue(null)).ToDictionary(op => op.Value & 0xFFFF);

    public Body(PEReader pe, int rva)
    {
        Block = pe.GetMethodBody(rva);
        Raw = pe.GetSectionData(rva).GetContent(0, Block.Size).ToArray();
        Code = Block.GetILBytes();
        Tiny = (Raw[0] & 3) == 2;
        for (int at = 0; at < Code.Length; at = Instructions[^1].End) {
            int value = Code[at];
            int operandAt = at + 1;
            if (value == 0xFE) {
                value = value << 8 | Code[at + 1];
                operandAt++;
            }
            OpCode op = OpCodesByValue[value];
            Instructions.Add(new Il(at, operandAt - at + OperandSize(op, operandAt), op, operandAt));
        }
    }

    int OperandSize(OpCode op, int at) => op.OperandType switch {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + 4 * Int(at),
        _ => 4
    };

    public int Int(int at) => BitConverter.ToInt32(Code, at);

    public ReadOnlySpan<byte> Operand(Il i) => Code.AsSpan(i.OperandAt, i.End - i.OperandAt);

    public static bool IsShortBranch(OpCode op) => op.OperandType == OperandType.ShortInlineBrTarget;

    public static bool IsBranch(OpCode op) => IsShortBranch(op) || op.OperandType == OperandType.InlineBrTarget;

    public int Target(Il i) =>
        i.End + (IsShortBranch(i.Op) ? (sbyte)Code[i.OperandAt] : Int(i.OperandAt));

    public IEnumerable<int> SwitchTargets(Il i) =>
        Enumerable.Range(1, Int(i.OperandAt)).Select(arm => i.End + Int(i.OperandAt + 4 * arm));

    // The index of the instruction at an offset, -1 when none starts there.
    public int IndexAt(int offset)
    {
        int low = 0, high = Instructions.Count - 1;
        while (low <= high) {
            int middle = (low + high) / 2;
            if (Instructions[middle].Offset == offset) {
                return middle;
            }
            if (Instructions[middle].Offset < offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    public bool IsBranchTarget(int offset) =>
        Instructions.Any(i => IsBranch(i.Op) && Target(i) == offset
                              || i.Op.OperandType == OperandType.InlineSwitch && SwitchTargets(i).Contains(offset));

    public bool IsClauseBoundary(int offset) =>
        Block.ExceptionRegions.Any(r => offset == r.TryOffset || offset == r.TryOffset + r.TryLength
                                        || offset == r.HandlerOffset || offset == r.HandlerOffset + r.HandlerLength);

    // Offsets that control can reach; every handler counts as reached.
    public HashSet<int> Reachable()
    {
        var seen = new HashSet<int>();
        var todo = new Stack<int>();
        todo.Push(0);
        foreach (ExceptionRegion region in Block.ExceptionRegions) {
            todo.Push(region.HandlerOffset);
            if (region.Kind == ExceptionRegionKind.Filter) {
                todo.Push(region.FilterOffset);
            }
        }
        while (todo.TryPop(out int offset)) {
            if (!seen.Add(offset) || IndexAt(offset) < 0) {
                continue;
            }
            Il i = Instructions[IndexAt(offset)];
            if (IsBranch(i.Op)) {
                todo.Push(Target(i));
            } else if (i.Op.OperandType == OperandType.InlineSwitch) {
                foreach (int target in SwitchTargets(i)) {
                    todo.Push(target);
                }
            }
            if (i.Op.FlowControl is not (FlowControl.Branch or FlowControl.Return or FlowControl.Throw)
                && i.Op != OpCodes.Jmp) {
                todo.Push(i.End);
            }
        }
        return seen;
    }

    // The first EH section's kind byte has 0x40 when its clauses are fat (II.25.4.5); false without one.
    public bool FatClauses
    {
        get {
            if (Block.ExceptionRegions.Length == 0) {
                return false;
            }
            int header = 4 * (Raw[1] >> 4);
            int section = header + Code.Length;
            return (Raw[section + 3 & ~3] & 0x40) != 0;
        }
    }
}
