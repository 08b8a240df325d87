// A program that uses the NuGet package Ilpatch:  Use TREE FOLDER. The inputs are files of the tree and of FOLDER, which gets what is patched. Prints as the
// scripts do: "ok NAME" or "FAIL NAME: WHY" for each test.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using Ilpatch;

static class Use
{
    static string tree, folder;
    static byte[] shop;

    static int Main(string[] args)
    {
        tree = args[0];
        folder = args[1];
        shop = File.ReadAllBytes(Path.Combine(tree, "samples/Shop.exe"));
        Test("structs", Structs);
        Test("codes", CodesOfAllNumbers);
        Test("same bytes as the command's", SameBytes);
        Test("outcomes", Outcomes);
        Test("rules", SelectedByRules);
        Test("errors", Errors);
        Test("disposed twice", Disposed);
        Test("references", Referenced);
        Test("threads", Threads);
        return 0;
    }

    static void Test(string name, Action test)
    {
        try
        {
            test();
            Console.WriteLine("ok " + name);
        }
        catch (Exception e)
        {
            Console.WriteLine("FAIL " + name + ": " + e.ToString().Replace('\n', ' '));
        }
    }

    static void Expect<T>(T expected, T actual, string what)
    {
        if (!Equals(expected, actual))
        {
            throw new Exception($"{what}: expected {expected}, got {actual}");
        }
    }

    static T Throws<T>(Action action, string what) where T : Exception
    {
        try
        {
            action();
        }
        catch (T e)
        {
            return e;
        }
        throw new Exception($"{what}: no {typeof(T).Name}");
    }

    static string In(string name) => Path.Combine(folder, name);

    // "Error 288" is a size, "Error.Message 24" an offset, by the compiler of C.
    static void Structs()
    {
        const BindingFlags any = BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Instance;
        Type native = typeof(Patcher).Assembly.GetType("Ilpatch.Native", true);
        string[] lines = File.ReadAllLines(In("structs.txt"));
        foreach (string[] parts in lines.Select(line => line.Split(' ')))
        {
            string[] names = parts[0].Split('.');
            Type type = native.GetNestedType(names[0], BindingFlags.NonPublic) ?? throw new Exception(names[0]);
            int actual = names.Length == 1 ? Marshal.SizeOf(type) : (int)Marshal.OffsetOf(type, type.GetField(names[1], any).Name);
            Expect(int.Parse(parts[1]), actual, parts[0]);
        }
        string[] listed = lines.Where(line => !line.Contains('.')).Select(line => line.Split(' ')[0]).ToArray();
        string[] own = native.GetNestedTypes(BindingFlags.NonPublic).Where(type => type.IsValueType && !type.Name.Contains("<")).Select(type => type.Name).ToArray();
        Expect("", string.Join(" ", own.Except(listed)), "structs that are not compared");
    }

    // Every number that the library knows has a name here, and no other number has.
    static void CodesOfAllNumbers()
    {
        for (int i = 0; i < 1000; i++)
        {
            string name = ((Status)i).Code();
            Expect(name == "UNKNOWN" ? i.ToString() : name.Replace("_", ""), ((Status)i).ToString() is var own && own == i.ToString() ? own : own.ToUpperInvariant(), "status " + i);
        }
        Expect("UNKNOWN", ((Status)1).Code(), "a number that is no status");
        Expect(StatusClass.Limit, Status.TooDeep.Class(), "class");
        Expect(StatusClass.Io, Status.Callback.Class(), "class");
        Expect("a .NET assembly", Status.NotManaged.Text().Substring(4), "text");
        string unknown = ((Reason)127).Code();
        for (int i = 0; i < 127; i++)
        {
            Expect(Enum.IsDefined(typeof(Reason), i), ((Reason)i).Code() != unknown, "reason " + i);
        }
        foreach (string line in File.ReadAllLines(Path.Combine(tree, "include/ilpatch/reasons.def")).Where(line => line.StartsWith("ILP_REASON(")))
        {
            string[] parts = line.Split(new[] { '(', ')', ',', '"', ' ' }, StringSplitOptions.RemoveEmptyEntries);
            Reason reason = (Reason)Enum.Parse(typeof(Reason), parts[1].Replace("_", ""), true);
            Expect(parts[4], reason.Code(), parts[1]);
            Expect(parts[3].Replace("_", ""), reason.Kind().ToString().ToUpperInvariant(), parts[1]);
        }
    }

    static void Same(string expected, byte[] actual) => Expect(true, File.ReadAllBytes(In(expected)).SequenceEqual(actual), expected);

    static void SameBytes()
    {
        PatchedAssembly patched = Patcher.Inspect(shop);
        Same("shop.exe", patched.Bytes);
        Expect(true, patched.IsChanged && patched.Symbols == null, "changed, without symbols");
        Same("embedded.exe", Patcher.Inspect(new MemoryStream(shop), new InspectOptions { Embed = true }).Bytes);
        Same("kept.exe", Patcher.Inspect(Path.Combine(tree, "samples/Shop.exe"), new InspectOptions { Layout = WriteLayout.Keep, Threads = 2 }).Bytes);

        InspectOptions options = new() { Symbols = File.ReadAllBytes(In("input/Work.pdb")), Inspector = new Inspector(Inspector.StockAssembly()) };
        patched = Patcher.Inspect(In("input/Work.dll"), options);
        Same("output/Work.dll", patched.Bytes);
        Same("output/Work.pdb", patched.Symbols);
        Expect(false, patched.SymbolsDropped, "symbols dropped");
        Same("output/Inside.dll", Patcher.Inspect(In("input/Inside.dll")).Bytes);
    }

    static void Outcomes()
    {
        PatchedAssembly patched = Patcher.Inspect(shop);
        Expect(9, patched.Methods.Count, "methods");
        Expect(7, patched.Methods.Count(method => method.Kind == ReasonKind.Done), "done");
        MethodOutcome sum = patched.Methods.Single(method => method.Name == "Shop.Program::Sum");
        Expect("Shop.Program::Sum: inspected", sum.ToString(), "text");
        Expect(0x06000004, sum.Token, "token");
        Expect(true, sum.Returns == 2 && sum.InspectedReturns == 2 && sum.IsBoxed && sum.Rule == null, "returns");
        Expect("returns nothing", patched.Methods[0].Message, "message");
        Expect("int32 Shop.Program::Main()", patched.Methods[8].Signature, "signature");
        PatchedAssembly again = Patcher.Inspect(patched.Bytes);
        Expect(false, again.IsChanged, "changed again");
        Expect(Reason.Already, again.Methods[8].Reason, "again");
    }

    static void SelectedByRules()
    {
        using Rules rules = new Rules().Add("<rules><include name='money'><return type='System.Decimal'/></include></rules>");
        Expect(1, rules.Count, "rules");
        PatchedAssembly patched = Patcher.Inspect(shop, new InspectOptions { Rules = rules });
        Same("decimals.exe", patched.Bytes);
        Expect("0 0 -", string.Join(" ", new[] { 1, 3, 4 }.Select(i => patched.Methods[i].Rule?.ToString() ?? "-")), "rules that decided");
        Expect(false, Patcher.Inspect(shop, new InspectOptions { Rules = new Rules() }).IsChanged, "no rule");

        using Rules named = new Rules().Add("<rules><include inspector='Own.dll'><method name='Main'/></include></rules>", "own.xml");
        InspectOptions options = new() { Rules = named };
        Throws<InvalidOperationException>(() => Patcher.Inspect(shop, options), "an inspector that is not opened");
        string wanted = "";
        options.OpenInspector = (name, file) => { wanted = name + " of " + file; return Inspector.StockAssembly(small: true); };
        Expect(true, Patcher.Inspect(shop, options).IsChanged, "an inspector that is opened");
        Expect("Own.dll of own.xml", wanted, "what is opened");
    }

    static void Errors()
    {
        IlpatchException e = Throws<IlpatchException>(() => Patcher.Inspect(new byte[100]), "zeros");
        Expect(Status.NotPe, e.Status, "zeros");
        Expect(StatusClass.Data, e.Class, "zeros");
        e = Throws<IlpatchException>(() => Patcher.Inspect(shop.Take(700).ToArray()), "a file that is cut off");
        Expect(Status.Truncated, e.Status, "a file that is cut off");
        Expect(true, e.Offset > 0, "offset");
        Expect(true, e.Message.Length > 10 && e.Line == null, "message");
        e = Throws<IlpatchException>(() => new Rules().Add("<rules>\n<include><method nme='x'/></include></rules>"), "rules");
        Expect("BadRules 2 18", $"{e.Status} {e.Line} {e.Column}", "rules");
        Expect(Status.BadInspector, Throws<IlpatchException>(() => new Inspector(shop), "no inspector").Status, "no inspector");
        Expect(Status.OtherSymbols, Throws<IlpatchException>(
            () => Patcher.Inspect(In("input/Other.dll"), new InspectOptions { Symbols = File.ReadAllBytes(In("input/Work.pdb")) }), "another PDB").Status, "another PDB");
        Throws<ArgumentNullException>(() => Patcher.Inspect((byte[])null), "null");
        Throws<FileNotFoundException>(() => Patcher.Inspect(In("none.dll")), "no file");

        // Each byte of the metadata's beginning damaged: an exception of the library, or a result, but nothing else.
        for (int at = 0; at < 600; at += 7)
        {
            byte[] damaged = (byte[])shop.Clone();
            damaged[at] ^= 0xFF;
            try
            {
                Patcher.Inspect(damaged);
            }
            catch (IlpatchException)
            {
            }
        }
    }

    static void Disposed()
    {
        Inspector inspector = new(Inspector.StockAssembly());
        Rules rules = new();
        inspector.Dispose();
        inspector.Dispose();
        rules.Dispose();
        rules.Dispose();
        Throws<ObjectDisposedException>(() => Patcher.Inspect(shop, new InspectOptions { Inspector = inspector }), "inspector");
        Throws<ObjectDisposedException>(() => Patcher.Inspect(shop, new InspectOptions { Rules = rules }), "rules");
        Throws<ObjectDisposedException>(() => rules.Add("<rules/>"), "add");
        for (int i = 0; i < 50; i++)
        {
            _ = new Inspector(Inspector.StockAssembly()); // left to the finalizers, in whatever order
        }
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Same("shop.exe", Patcher.Inspect(shop).Bytes);
    }

    static void Referenced()
    {
        string wanted = "";
        InspectOptions options = new() { Resolve = name => { wanted += name.Name + " " + name.Version + "; "; return null; } };
        Same("user-unknown.dll", Patcher.Inspect(In("input/User.dll"), options).Bytes);
        Expect(true, wanted.Contains("Work 0.0.0.0; "), "what is looked for: " + wanted);
        options.Resolve = References.InFolders(In("input"));
        PatchedAssembly patched = Patcher.Inspect(In("input/User.dll"), options);
        Same("user.dll", patched.Bytes);
        Expect(Reason.Inspected, patched.Methods.Single(method => method.Name == "User::Get").Reason, "a struct of another assembly");
        options.Resolve = name => throw new TimeoutException();
        Throws<TimeoutException>(() => Patcher.Inspect(In("input/User.dll"), options), "what the function throws");
    }

    static void Threads()
    {
        using Rules rules = new Rules().Add("<rules><include><return type='System.Decimal'/></include></rules>");
        using Inspector inspector = new(Inspector.StockAssembly());
        InspectOptions options = new() { Rules = rules, Inspector = inspector };
        byte[] expected = File.ReadAllBytes(In("decimals.exe"));
        int same = 0;
        Thread[] threads = Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < 50; i++)
            {
                if (Patcher.Inspect(shop, options).Bytes.SequenceEqual(expected))
                {
                    Interlocked.Increment(ref same);
                }
            }
        })).ToArray();
        foreach (Thread thread in threads)
        {
            thread.Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Expect(100, same, "patches with the same bytes");
    }
}
