// A program that runs in native code: the C# compiler's parser, when ilpatch is attached already, and, with an argument, before
// that, too.
using System;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis.CSharp;

static class Native
{
    [MethodImpl(MethodImplOptions.NoInlining)]      // so that the compiler is not loaded before
    static int Parse(string text) => CSharpSyntaxTree.ParseText(text).GetRoot().DescendantTokens().Count();

    static void Main(string[] arguments)
    {
        if (arguments.Length != 0)
            Parse("class A { int x = 1; }");
        Console.WriteLine("ready");
        Console.ReadLine();
        Console.WriteLine(Parse("class A { int x = 1; } /// <summary>doc</summary>\nstruct B<T> { string s = $\"{1+2}\" + @\"x\"; long F() => 0x12L << 3; }"));
    }
}
