// A method that is made at run time, in no file: its tail call is reported by the runtime's names.

using System;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

public static class Dynamic
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Callee(int x) { return x + 1; }

    static void Main()
    {
        var made = new DynamicMethod("Made", typeof(int), new[] { typeof(int) }, typeof(Dynamic).Module);
        ILGenerator il = made.GetILGenerator();
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Tailcall);
        il.Emit(OpCodes.Call, typeof(Dynamic).GetMethod("Callee"));
        il.Emit(OpCodes.Ret);
        Console.Write(((Func<int, int>)made.CreateDelegate(typeof(Func<int, int>)))(41) + "\n");
    }
}
