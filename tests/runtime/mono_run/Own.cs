// An inspector of one's own, which writes to standard error.

using System;

public static class Inspector
{
    public static void MyInspector(object value, string method)
    {
        Console.Error.WriteLine("own " + method + " " + value);
    }
}
