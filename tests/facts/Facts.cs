// Prints what .NET itself says about opcodes, element types and tables, in the words of ilpatch's .def files;
// facts.c prints the same from those files, and run.sh compares.
//
//   Facts opcodes    System.Reflection.Emit.OpCodes:           value name operand pop push flow
//   Facts elements   System.Reflection.Metadata, CorElementType: number name
//   Facts tables     System.Reflection.Metadata.MetadataReader:  names, row sizes and what makes rows wider
//   Facts sizes FILE...   System.Runtime.CompilerServices.RuntimeHelpers; Sizes.cs says more, also of `folder`
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;

static class Facts
{
    static int Main(string[] args)
    {
        switch (args.FirstOrDefault()) {
        case "opcodes":
            PrintOpcodes();
            return 0;
        case "elements":
            PrintElements();
            return 0;
        case "tables":
            TableFacts.Print();
            return 0;
        case "folder":
            Sizes.PrintFolder();
            return 0;
        case "sizes":
            Sizes.Print(args[1..]);
            return 0;
        default:
            Console.Error.WriteLine("usage: Facts opcodes | elements | tables | folder | sizes FILE...");
            return 2;
        }
    }

    static void PrintOpcodes()
    {
        var lines = new SortedDictionary<int, string>();
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)) {
            var op = (OpCode)field.GetValue(null);
            if (op.OpCodeType == OpCodeType.Nternal) {
                continue; // reserved: prefix1..prefix7 and prefixref are no instructions
            }
            string operand = Operand(op), pop = Pops(op.StackBehaviourPop), push = Pushes(op.StackBehaviourPush);
            string flow = Flow(op.FlowControl);
            // Where Emit says less than ECMA-335: jmp does not come back (III.3.37), leave empties the stack
            // (III.3.46), an alignment has no sign (III.2.5).
            if (op == OpCodes.Jmp) {
                flow = "RETURN";
            } else if (op == OpCodes.Leave || op == OpCodes.Leave_S) {
                pop = "varies";
            } else if (op == OpCodes.Unaligned) {
                operand = "U1";
            }
            int value = op.Value & 0xFFFF;
            lines[value] = $"{value:X4} {op.Name} {operand} {pop} {push} {flow}";
        }
        lines[0xFE19] = "FE19 no. U1 0 0 META"; // III.2.2; Emit leaves it out
        foreach (string line in lines.Values) {
            Console.WriteLine(line);
        }
    }

    static string Operand(OpCode op) => op.OperandType switch {
        OperandType.InlineNone => "NONE",
        OperandType.ShortInlineI => "I1",
        OperandType.ShortInlineVar => "U1",
        OperandType.InlineVar => "U2",
        OperandType.InlineI => "I4",
        OperandType.InlineI8 => "I8",
        OperandType.ShortInlineR => "R4",
        OperandType.InlineR => "R8",
        OperandType.ShortInlineBrTarget => "TARGET1",
        OperandType.InlineBrTarget => "TARGET4",
        OperandType.InlineSwitch => "SWITCH",
        OperandType.InlineMethod => "METHOD",
        OperandType.InlineSig => "SIG",
        OperandType.InlineString => "STRING",
        OperandType.InlineField or OperandType.InlineType or OperandType.InlineTok => "TOKEN",
        _ => op.OperandType.ToString()
    };

    // A behaviour is a word per value: Popref_popi_pop1 is three.
    static string Pops(StackBehaviour pop) => pop switch {
        StackBehaviour.Pop0 => "0",
        StackBehaviour.Varpop => "varies",
        _ => pop.ToString().Split('_').Length.ToString()
    };

    static string Pushes(StackBehaviour push) => push switch {
        StackBehaviour.Push0 => "0",
        StackBehaviour.Varpush => "varies",
        _ => push.ToString().Split('_').Length.ToString()
    };

    static string Flow(FlowControl flow) => flow.ToString().ToUpperInvariant();

    // Names are those of ECMA-335 II.23.1.16, which CoreLib keeps in an enum of its own; the numbers that
    // System.Reflection.Metadata knows must be among them.
    static void PrintElements()
    {
        Type own = typeof(object).Assembly.GetType("System.Reflection.CorElementType", throwOnError: true);
        var names = new SortedDictionary<int, string>();
        foreach (object value in Enum.GetValues(own)) {
            string name = value.ToString().Replace("ELEMENT_TYPE_", "");
            int number = Convert.ToInt32(value);
            // The last in the enum are no types: END, MAX and the bare MODIFIER bit.
            if (name is not ("END" or "MAX" or "MODIFIER")) {
                names[number] = name;
            }
        }
        foreach (SignatureTypeCode code in Enum.GetValues<SignatureTypeCode>()) {
            // TypeHandle covers CLASS and VALUETYPE, which SignatureTypeKind has.
            if (code is not (SignatureTypeCode.Invalid or SignatureTypeCode.TypeHandle)
                && !names.ContainsKey((int)code)) {
                Console.WriteLine($"{(int)code:X2} {code} is unknown to CoreLib");
            }
        }
        foreach (SignatureTypeKind kind in new[] { SignatureTypeKind.Class, SignatureTypeKind.ValueType }) {
            if (!names.TryGetValue((int)kind, out string name) || name != kind.ToString().ToUpperInvariant()) {
                Console.WriteLine($"{(int)kind:X2} {kind} is {name} in CoreLib");
            }
        }
        foreach ((int number, string name) in names) {
            Console.WriteLine($"{number:X2} {name}");
        }
    }
}
