#!/usr/bin/env python3
"""A C# program that says itself which lines its values have to give:  program.py SEED

    dotnet Self.dll EXPECTED THREADS ROUNDS

calls all methods Get* ROUNDS times in each of THREADS threads, with other values each time, and writes to EXPECTED the line that each
call has to give, in no order between threads. It makes these lines of the numbers that the values are made of, by nothing but
concatenation. Structs have 1 to 64 bytes, packed and not, of integers, floats and references, through every kind of call.
"""
import random
import sys

# (C# type, bytes, value of `n`, its text)
PLAIN = [
    ("long", 8, "{n} * -1000000007L", '({n} * -1000000007L).ToString(I)'),
    ("ulong", 8, "(ulong){n} << 33", '((ulong){n} << 33).ToString(I)'),
    ("double", 8, "-({n} % 1000) - 0.25", '("-" + ({n} % 1000) + ".25")'),
    ("int", 4, "{n} - 1000000", '({n} - 1000000).ToString(I)'),
    ("uint", 4, "4294967295u - (uint){n}", '(4294967295u - (uint){n}).ToString(I)'),
    ("float", 4, "{n} % 1000 + 0.5f", '(({n} % 1000) + ".5")'),
    ("short", 2, "(short)-({n} % 30000)", '(-({n} % 30000)).ToString(I)'),
    ("char", 2, "(char)('a' + {n} % 26)", '("\'" + (char)(\'a\' + {n} % 26) + "\'")'),
    ("byte", 1, "(byte)({n} % 256)", '({n} % 256).ToString(I)'),
    ("bool", 1, "{n} % 2 == 0", '({n} % 2 == 0 ? "true" : "false")'),
]
HELD = [
    ("string", 8, '{n} % 7 == 0 ? null : "s" + {n}', '({n} % 7 == 0 ? "null" : "\\"s" + {n} + "\\"")'),
    ("int[]", 8, "new int[] {{ {n}, -{n} }}", '("[2: " + {n} + ", " + -{n} + "]")'),
    ("object", 8, "(object)({n} % 500)", '({n} % 500).ToString(I)'),
]
# What a struct's method is called by; NAME is the method, TYPE the struct.
CALLS = """
    [MethodImpl(MethodImplOptions.NoInlining)] public static TYPE GetStatic(int n) => TYPE.Make(n);
    public static TYPE GetInlined(int n) => TYPE.Make(n);
    public TYPE GetInstance(int n) => TYPE.Make(n);
    public override TYPE GetVirtual(int n) => TYPE.Make(n);
    public TYPE GetByInterface(int n) => TYPE.Make(n);
    public static TYPE GetTail(int n) { return GetStatic(n); }
    public static T GetGeneric<T>(T value) => value;
    public ref TYPE GetReference(int n) { kept = TYPE.Make(n); return ref kept; }
    public static TYPE GetFromTry(int n)
    {
        try { if (n % 3 == 0) throw new InvalidOperationException(); return TYPE.Make(n); }
        catch (InvalidOperationException) { return TYPE.Make(n); }
        finally { GC.KeepAlive(n); }
    }
    public static async Task<TYPE> GetAtOnce(int n) { await Task.CompletedTask; return TYPE.Make(n); }
    public static async Task<TYPE> GetLater(int n) { await Task.Yield(); return TYPE.Make(n); }
    public static IEnumerable<TYPE> GetIterated(int n) { yield return TYPE.Make(n); yield return TYPE.Make(n + 1); }
    public static TYPE GetWithMany(int n, long a, double b, TYPE c, string d, float e) => TYPE.Make(n);
    TYPE kept;
"""
DIRECT = ["GetStatic(n)", "GetInlined(n)", "c.GetInstance(n)", "b.GetVirtual(n)", "i.GetByInterface(n)", "c.GetReference(n)",
          "GetFromTry(n)", "GetWithMany(n, n, n, default, null, n)", "GetGeneric(TYPE.Make(n))"]
# Other values: (type as it is shown, declared type, value, its text)
OTHERS = [
    ("System.Int32", "int", "n", "n.ToString(I)"),
    ("System.String", "string", '"x" + n', '"\\"x" + n + "\\""'),
    ("System.Decimal", "decimal", "n + 0.50m", 'n + ".50"'),
    ("System.Int32", "int?", "n % 2 == 0 ? n : (int?)null", 'n % 2 == 0 ? n.ToString(I) : "null"'),
    ("Self.Colors", "Colors", "(Colors)(1 + n % 3)", '(1 + n % 3) switch { 1 => "Red", 2 => "Blue", _ => "Red, Blue" }'),
    ("Self.Person", "Person", 'new Person("p" + n, n)', '"{Name=\\"p" + n + "\\", Age=" + n + "}"'),
    ("Self.Person", "object", 'new Person(null, -n)', '"{Name=null, Age=" + -n + "}"'),
    ("Self.Node", "Node", "new Node { Next = new Node { Value = n }, Value = n + 1 }",
     '"{Next=Node {Next=null, Value=" + n + "}, Value=" + (n + 1) + "}"'),
    ("System.Int32[]", "int[]", "new int[] { n, n + 1, n + 2 }", '"[3: " + n + ", " + (n + 1) + ", " + (n + 2) + "]"'),
    ("System.Collections.Generic.List`1[System.Int32]", "IEnumerable<int>", "new List<int>(Enumerable.Range(n, n % 12))", "Elements(n)"),
    ("System.Collections.Generic.Dictionary`2[System.String,System.Int32]", "Dictionary<string, int>",
     'new Dictionary<string, int> { ["k" + n] = n }', '"[1: \\"k" + n + "\\"=" + n + "]"'),
    ("System.Collections.Generic.HashSet`1[System.Int64]", "HashSet<long>", "new HashSet<long> { n, -1L }", '"[2: " + n + ", -1]"'),
    ("System.ValueTuple`2[System.Int32,System.String]", "(int, string)", '(n, "t" + n)', '"(" + n + ", \\"t" + n + "\\")"'),
    ("System.InvalidOperationException", "Exception", 'new InvalidOperationException("e" + n)', '"{Message=\\"e" + n + "\\"}"'),
]


def fields_of(size, rng):
    """Fields of so many bytes together, the large ones first as often as not."""
    fields, left = [], size
    while left > 0:
        kinds = PLAIN + HELD if size > 8 and size % 3 == 0 and left % 8 == 0 else PLAIN
        fitting = [kind for kind in kinds if kind[1] <= left]
        largest = max(kind[1] for kind in fitting)
        if left > 24 or rng.random() < 0.5:
            fitting = [kind for kind in fitting if kind[1] == largest]
        fields.append(rng.choice(fitting))
        left -= fields[-1][1]
    return fields


def print_struct(size, rng):
    name, fields = f"S{size}", fields_of(size, rng)
    numbers = [f"(n + {i * 11})" for i in range(len(fields))]
    if rng.random() < 0.5 and not any(kind in HELD for kind in fields):
        print("[StructLayout(LayoutKind.Sequential, Pack = 1)]")
    print(f"public struct {name}\n{{")
    for i, kind in enumerate(fields):
        print(f"    public {kind[0]} f{i};")
    made = ", ".join(f"f{i} = {kind[2].format(n=numbers[i])}" for i, kind in enumerate(fields))
    print(f"    public static {name} Make(int n) => new {name} {{ {made} }};")
    text = ' + ", " + '.join(f'"f{i}=" + {kind[3].format(n=numbers[i])}' for i, kind in enumerate(fields))
    print(f'    public static string Text(int n) => "{{" + {text} + "}} (Self.{name})";\n}}')
    print(f"public interface I{name} {{ {name} GetByInterface(int n); }}")
    print(f"public abstract class Base{name} {{ public abstract {name} GetVirtual(int n); }}")
    print(f"public class Of{name}<T> {{ T kept; public Of{name}(T value) {{ kept = value; }} public T GetKept() => kept; }}")
    print(f"public class Calls{size} : Base{name}, I{name}\n{{" + CALLS.replace("TYPE", name))
    print("    public static async Task All(int n, Lines lines)\n    {")
    print(f"        var c = new Calls{size}(); Base{name} b = c; I{name} i = c;")
    line = "        lines.Add(\"Self.Calls%d::%s -> \" + %s.Text(n%s));"
    for call in DIRECT:
        print(f"        {call.replace('TYPE', name)};")
        print(line % (size, call.split("(")[0].split(".")[-1], name, ""))
    print(f"        GetTail(n);\n" + line % (size, "GetStatic", name, "") + "\n" + line % (size, "GetTail", name, ""))
    print(f"        ByPointer(n);\n" + line % (size, "GetStatic", name, ""))
    print(f"        Func<int, {name}> f = GetStatic; f(n);\n" + line % (size, "GetStatic", name, ""))
    print(f"        new Of{name}<{name}>({name}.Make(n)).GetKept();")
    print(f"        lines.Add(\"Self.Of{name}`1::GetKept -> \" + {name}.Text(n));")
    print("        await GetAtOnce(n);\n" + line % (size, "GetAtOnce", name, ""))
    print("        await GetLater(n);\n" + line % (size, "GetLater", name, ""))
    print(f"        foreach (var at in GetIterated(n)) GC.KeepAlive(at);")
    print(line % (size, "GetIterated", name, "") + "\n" + line % (size, "GetIterated", name, " + 1"))
    print("    }")
    print(f"    static unsafe void ByPointer(int n) {{ delegate*<int, {name}> p = &GetStatic; p(n); }}\n}}")


def main():
    rng = random.Random(int(sys.argv[1]))
    print("using System; using System.Collections.Generic; using System.Globalization; using System.IO; using System.Linq;")
    print("using System.Runtime.CompilerServices; using System.Runtime.InteropServices; using System.Threading; using System.Threading.Tasks;")
    print("using static Self.Invariant;\nnamespace Self;")
    print("public static class Invariant { public static readonly CultureInfo I = CultureInfo.InvariantCulture; }")
    print("public class Lines { public List<string> All = new(); public void Add(string line) { All.Add(line); } }")
    print("[Flags] public enum Colors { None, Red, Blue }\npublic record Person(string Name, int Age);")
    print("public class Node { public Node Next; public int Value; }")
    for size in range(1, 65):
        print_struct(size, rng)
    print("public static class Others\n{")
    for i, (_, declared, value, _) in enumerate(OTHERS):
        print(f"    public static {declared} Get{i}(int n) => {value};")
    print("    static string Elements(int n) => \"[\" + n % 12 + (n % 12 == 0 ? \"]\" : \": \" + string.Join(\", \","
          " Enumerable.Range(n, Math.Min(n % 12, 8))) + (n % 12 > 8 ? \", ...]\" : \"]\"));")
    print("    public static void All(int n, Lines lines)\n    {")
    for i, (shown, _, _, text) in enumerate(OTHERS):
        print(f"        Get{i}(n);")
        typed = f'{{0}} + " ({shown})"' if "?" not in OTHERS[i][1] else f'(n % 2 == 0 ? {{0}} + " ({shown})" : "null")'
        print(f'        lines.Add("Self.Others::Get{i} -> " + ' + typed.replace("{0}", f"({text})") + ");")
    print("    }\n}")
    print("""public static class Program
{
    static async Task Round(int n, Lines lines)
    {""")
    for size in range(1, 65):
        print(f"        await Calls{size}.All(n + {size}, lines);")
    print("""        Others.All(n, lines);
    }
    static int Main(string[] arguments)
    {
        int threads = int.Parse(arguments[1]), rounds = int.Parse(arguments[2]);
        var lines = new Lines[threads];
        var running = new Thread[threads];
        for (int t = 0; t < threads; t++)
        {
            int number = t;
            lines[t] = new Lines();
            running[t] = new Thread(() =>
            {
                for (int round = 0; round < rounds; round++)
                {
                    Round(number * 1000 + round * 3, lines[number]).Wait();
                    if (round % 8 == 7) GC.Collect(round % 3);
                }
            });
            running[t].Start();
        }
        foreach (Thread thread in running) thread.Join();
        File.WriteAllLines(arguments[0], lines.SelectMany(of => of.All));
        return 3;
    }
}""")


main()
