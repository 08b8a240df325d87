// Writes what it gets besides the value: the id, or the method that the handle leads to.
using System;
using System.Reflection;

public static class Passes
{
    public static void MyInspector(object value, long id)
    {
        Console.Error.WriteLine(id + " " + value);
    }

    // The method of a generic type is found with a type that has it, here one without arguments.
    public static void MyInspector(object value, RuntimeMethodHandle handle)
    {
        MethodBase method;
        try
        {
            method = MethodBase.GetMethodFromHandle(handle);
        }
        catch (ArgumentException)
        {
            method = MethodBase.GetMethodFromHandle(handle, Type.GetType("PassedGeneric`1, Passed", true).TypeHandle);
        }
        Console.Error.WriteLine(method.DeclaringType.Name.Replace("[T]", "") + "::" + method.Name + " " + value);
    }
}
