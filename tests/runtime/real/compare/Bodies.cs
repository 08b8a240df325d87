// Compares method bodies byte by byte and instruction by instruction.
//
// A patched body is the old one with `dup; [box T]; ldstr; call MyInspector` before each `ret` that control
// reaches with a value. All that led to such a `ret` now leads to its `dup`. A body in which nothing was
// inserted is byte-identical. Headers, branches and clauses are as small as they can be, and no smaller part
// of the body changed its form without need.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

sealed class Bodies
{
    readonly PEReader before, after;
    readonly MetadataReader old, patched;
    readonly Inserted inserted;
    readonly Expected expected;
    readonly Dictionary<int, Answer> answers; // by token; null: no report was given
    readonly Report report;
    int token; // of the method at hand, for messages

    public Bodies(PEReader before, PEReader after, Expected expected, Dictionary<int, Answer> answers, Report report)
    {
        this.before = before;
        this.after = after;
        this.expected = expected;
        this.answers = answers;
        this.report = report;
        old = before.GetMetadataReader();
        patched = after.GetMetadataReader();
        inserted = new Inserted(old, patched);
    }

    public void Compare()
    {
        int methods = Math.Min(old.GetTableRowCount(TableIndex.MethodDef), patched.GetTableRowCount(TableIndex.MethodDef));
        for (int rid = 1; rid <= methods; rid++) {
            MethodDefinitionHandle handle = MetadataTokens.MethodDefinitionHandle(rid);
            MethodDefinition a = old.GetMethodDefinition(handle), b = patched.GetMethodDefinition(handle);
            token = 0x06000000 | rid;
            bool hasBody = a.RelativeVirtualAddress != 0
                           && (a.ImplAttributes & MethodImplAttributes.CodeTypeMask) == MethodImplAttributes.IL;
            if (!hasBody) {
                Check(a.RelativeVirtualAddress == b.RelativeVirtualAddress, "RVA of a method without IL changed");
                continue;
            }
            report.Methods++;
            try {
                CompareBody(new Body(before, a.RelativeVirtualAddress), new Body(after, b.RelativeVirtualAddress), handle);
            } catch (Exception e) when (e is BadImageFormatException or IndexOutOfRangeException
                                          or ArgumentOutOfRangeException or KeyNotFoundException) {
                report.Add($"{Where}: cannot be read: {e.Message}");
                report.Unread = true;
            }
        }
    }

    string Where => $"0x{token:x8} {Inserted.NameOf(old, MetadataTokens.MethodDefinitionHandle(token & 0xFFFFFF))}";

    void Check(bool holds, string what)
    {
        if (!holds) {
            report.Add($"{Where}: {what}");
        }
    }

    void CompareBody(Body a, Body b, MethodDefinitionHandle handle)
    {
        // Old offset of each instruction, and of the end, to its new one; a `ret` goes to its `dup`.
        var map = new Dictionary<int, int>();
        var pairs = new List<(Il Old, Il New)>();
        var places = new HashSet<int>(); // old offsets of inspected rets
        var stripped = new HashSet<int>(); // of those after a tail call that is none any more
        int results = 0; // inspected where an async method sets its result
        int j = 0;
        foreach (Il i in a.Instructions) {
            if (j >= b.Instructions.Count) {
                report.Add($"{Where}: code ends before IL_{i.Offset:x4}");
                return;
            }
            if (i.Op == OpCodes.Ret && IsTailCall(a, i) && inserted.At(b, j + 1, out _)) {
                j++; // the tail call kept its ret; a jump to it now goes to the one after
            }
            map[i.Offset] = b.Instructions[j].Offset;
            if (i.Op == OpCodes.Tailcall && b.Instructions[j].Op == OpCodes.Nop) {
                Check(b.Instructions[j + 1].Op == OpCodes.Nop, $"IL_{i.Offset:x4} tail.: not two nops");
                stripped.Add(a.Instructions[a.IndexAt(i.Offset) + 2].Offset);
                j += 2;
                continue;
            }
            if (i.Op == OpCodes.Ret && inserted.At(b, j, out int length)) {
                string problem = inserted.Problem(b, j, handle);
                Check(problem == null, problem);
                places.Add(i.Offset);
                j += length;
            } else if (i.Op.FlowControl == FlowControl.Call && inserted.BeforeResult(b, j, out length)) {
                string problem = inserted.ProblemOfResult(b, j, handle);
                Check(problem == null, problem);
                results++;
                j += length;
            }
            pairs.Add((i, b.Instructions[j++]));
        }
        map[a.Code.Length] = b.Code.Length;
        Check(j == b.Instructions.Count, "more instructions than before at the end");

        CheckPlaces(a, places, stripped, handle);
        CheckAnswer(places.Count, results);
        if (places.Count + results == 0) {
            Check(a.Raw.AsSpan().SequenceEqual(b.Raw), "nothing inserted, and yet other bytes");
            return;
        }
        report.InspectedMethods++;
        report.Places += places.Count + results;
        foreach ((Il i, Il k) in pairs) {
            CompareInstruction(a, i, b, k, map);
        }
        // The value, its copy, the name; of a result what it is set on is below.
        CompareHeader(a, b, results == 0 ? 3 : 4);
        CompareClauses(a, b, map);
    }

    // Every place with a value is inspected, and no other.
    void CheckPlaces(Body a, HashSet<int> places, HashSet<int> stripped, MethodDefinitionHandle handle)
    {
        Inspect expected = this.expected?.For(handle) ?? Inspect.Unknown;
        if (expected == Inspect.Unknown || expected == Inspect.Yes && answers != null && answers[token].IsExcuse) {
            return;
        }
        HashSet<int> reachable = a.Reachable();
        foreach (Il i in a.Instructions.Where(i => i.Op == OpCodes.Ret)) {
            // `tail. call; ret` must stay together (III.2.4): only jumps to the ret can be inspected, after
            // it, and not where a try or handler ends between the two. Without the prefix it is like any other.
            bool free = !IsTailCall(a, i) || stripped.Contains(i.Offset) || a.IsBranchTarget(i.Offset) && !a.IsClauseBoundary(i.Offset);
            bool should = expected == Inspect.Yes && reachable.Contains(i.Offset) && free;
            Check(places.Contains(i.Offset) == should,
                  should ? $"ret at IL_{i.Offset:x4} is not inspected" : $"ret at IL_{i.Offset:x4} is inspected");
        }
    }

    // What the report says of the method is what is in the file.
    void CheckAnswer(int places, int results)
    {
        if (answers == null) {
            return;
        }
        if (!answers.TryGetValue(token, out Answer answer)) {
            report.Add($"{Where}: not in the report");
            return;
        }
        Check(answer.Places == places + results, $"{answer.Word} at {answer.Places} places, found at {places + results}");
        Check(answer.Word == "inspected" ? places > 0 : places == 0, $"{answer.Word}, and {places} places before ret");
        Check(answer.Word == "sets-result" ? results > 0 : results == 0, $"{answer.Word}, and {results} results");
    }

    // Does a call with `tail.` stand before this ret? The call may carry other prefixes, too.
    static bool IsTailCall(Body body, Il ret)
    {
        int k = body.IndexAt(ret.Offset) - 2;
        while (k >= 0 && body.Instructions[k].Op.FlowControl == FlowControl.Meta) {
            if (body.Instructions[k--].Op == OpCodes.Tailcall) {
                return true;
            }
        }
        return false;
    }

    void CompareInstruction(Body a, Il i, Body b, Il k, Dictionary<int, int> map)
    {
        string place = $"IL_{i.Offset:x4} {i.Op.Name}";
        if (Body.IsBranch(i.Op)) {
            Check(LongForm(i.Op) == LongForm(k.Op), $"{place}: now {k.Op.Name}");
            Check(map.TryGetValue(a.Target(i), out int target) && b.Target(k) == target,
                  $"{place}: to IL_{a.Target(i):x4}, now IL_{b.Target(k):x4} instead of IL_{target:x4}");
            if (Body.IsShortBranch(i.Op) && !Body.IsShortBranch(k.Op)) {
                // A short form in its place would end 3 bytes earlier; what is after it would move along.
                int distance = b.Target(k) - k.End + (b.Target(k) < k.End ? 3 : 0);
                Check(distance is < -128 or > 127, $"{place}: long without need");
            } else {
                Check(i.Op == k.Op, $"{place}: now {k.Op.Name}");
            }
            return;
        }
        Check(i.Op == k.Op, $"{place}: now {k.Op.Name}");
        if (i.Op.OperandType == OperandType.InlineSwitch) {
            Check(a.SwitchTargets(i).Select(t => map.GetValueOrDefault(t, -1)).SequenceEqual(b.SwitchTargets(k)),
                  $"{place}: an arm leads elsewhere");
        } else {
            Check(a.Operand(i).SequenceEqual(b.Operand(k)), $"{place}: other operand");
        }
    }

    static readonly Dictionary<string, OpCode> OpCodesByName =
        typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
                       .Select(f => (OpCode)f.GetValue(null)).ToDictionary(op => op.Name);

    static OpCode LongForm(OpCode op) => Body.IsShortBranch(op) ? OpCodesByName[op.Name[..^2]] : op;

    void CompareHeader(Body a, Body b, int onStack)
    {
        Check(a.Block.LocalSignature == b.Block.LocalSignature, "other locals");
        Check(a.Block.LocalVariablesInitialized == b.Block.LocalVariablesInitialized, "other init locals");
        bool tinyFits = a.Tiny && b.Code.Length <= 63;
        Check(b.Tiny == tinyFits, b.Tiny ? "fat became tiny" : "tiny would fit");
        int stack = b.Block.MaxStack;
        if (!a.Tiny) {
            Check(stack == Math.Max(a.Block.MaxStack, onStack), $"MaxStack {a.Block.MaxStack}, now {stack}");
        } else if (!b.Tiny) {
            Check(stack >= onStack && stack <= 8, $"MaxStack of a tiny body, now {stack}");
        }
    }

    void CompareClauses(Body a, Body b, Dictionary<int, int> map)
    {
        var x = a.Block.ExceptionRegions;
        var y = b.Block.ExceptionRegions;
        Check(x.Length == y.Length, $"{x.Length} clauses, now {y.Length}");
        bool small = x.Length <= 20; // 12 bytes each, and the size has 8 bits (II.25.4.5)
        for (int n = 0; n < Math.Min(x.Length, y.Length); n++) {
            Check(x[n].Kind == y[n].Kind && x[n].CatchType == y[n].CatchType, $"clause {n}: other kind or type");
            Check(Range(x[n].TryOffset, x[n].TryLength, map) == (y[n].TryOffset, y[n].TryOffset + y[n].TryLength),
                  $"clause {n}: try range");
            Check(Range(x[n].HandlerOffset, x[n].HandlerLength, map)
                  == (y[n].HandlerOffset, y[n].HandlerOffset + y[n].HandlerLength), $"clause {n}: handler range");
            Check(x[n].Kind != ExceptionRegionKind.Filter
                  || map.GetValueOrDefault(x[n].FilterOffset, -1) == y[n].FilterOffset, $"clause {n}: filter");
            small &= y[n].TryOffset <= 0xFFFF && y[n].TryLength <= 0xFF && y[n].HandlerOffset <= 0xFFFF
                     && y[n].HandlerLength <= 0xFF;
        }
        Check(b.FatClauses == (x.Length > 0 && !small), b.FatClauses ? "small clauses would fit" : "clauses are small");
    }

    static (int, int) Range(int offset, int length, Dictionary<int, int> map) =>
        (map.GetValueOrDefault(offset, -1), map.GetValueOrDefault(offset + length, -1));
}
