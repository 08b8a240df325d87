// What the managed inspectors of the table share: lines in the file that MATRIX_OUT names. What is inspected while a line is
// written (with --framework all that File and Convert call) is not shown.
using System;
using System.Globalization;
using System.IO;

static class Notes
{
    static readonly object gate = new object();

    [ThreadStatic]
    static bool busy;

    public static void Add(object value, string method)
    {
        if (busy)
            return;
        busy = true;
        try
        {
            string text = Convert.ToString(value, CultureInfo.InvariantCulture);
            lock (gate)
                File.AppendAllText(Environment.GetEnvironmentVariable("MATRIX_OUT"), method + " " + text + "\n");
        }
        finally
        {
            busy = false;
        }
    }
}
