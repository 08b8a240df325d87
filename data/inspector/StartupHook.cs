// In a process with the profiler this assembly is a start-up hook: the runtime loads it before
// Main, so it is loaded at the first call of an inspected method. Other inspectors are loaded here,
// for the same reason.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using MyProfiler;

class StartupHook
{
    public static void Initialize()
    {
        MeetProfiler();
        foreach (string file in Files(Environment.GetEnvironmentVariable("ILPATCH_INSPECTORS")))
        {
            Load(file);
        }
    }

    // Paths separated by ':'; a ':' or a backslash in a path has a backslash before it.
    static List<string> Files(string text)
    {
        List<string> files = new List<string>();
        StringBuilder file = new StringBuilder();
        text = (text ?? "") + ":";
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] == ':' && file.Length != 0)
            {
                files.Add(file.ToString());
                file.Length = 0;
            }
            else if (text[i] != ':')
            {
                i += text[i] == '\\' ? 1 : 0;
                file.Append(text[i]);
            }
        }
        return files;
    }

    // It fails if the program has another assembly of this name, for example. An exception would
    // end the program; without the inspector the profiler rewrites nothing.
    static void Load(string file)
    {
        try
        {
            Assembly.LoadFrom(file);
        }
        catch (Exception e)
        {
            Report(file + ": cannot load the inspector: " + e.Message);
        }
    }

    // By the profiler, if present: with an attached command, standard error is the program's.
    static void Report(string message)
    {
        ProfilerByAddress profiler = Profiler.Present as ProfilerByAddress;
        if (profiler == null)
        {
            StandardError.Write(Encoding.UTF8.GetBytes("ilpatch: " + message + "\n"));
            return;
        }
        profiler.Report(Encoding.UTF8.GetBytes(message));
    }

    // The variable has the addresses of four functions, in hex. It is removed, since child
    // processes must not use them.
    static void MeetProfiler()
    {
        const string Variable = "ILPATCH_PROFILER";
        string text = Environment.GetEnvironmentVariable(Variable);
        string[] addresses = string.IsNullOrEmpty(text) ? new string[0] : text.Split(' ');
        if (addresses.Length == 4)
        {
            Environment.SetEnvironmentVariable(Variable, null);
            Profiler.Present = new ProfilerByAddress(addresses);
        }
    }
}

// Not in assemblies that embed the inspector, where there may be no profiler.
sealed class ProfilerByAddress : Profiler
{
    delegate int TakeQuiet(int on);
    delegate void TakeLine(IntPtr bytes, IntPtr size);
    delegate void TakeCount();

    readonly TakeQuiet quiet;
    readonly TakeLine line;
    readonly TakeCount count;
    readonly TakeLine message;

    internal ProfilerByAddress(string[] addresses)
    {
        quiet = (TakeQuiet)Function(addresses[0], typeof(TakeQuiet));
        line = (TakeLine)Function(addresses[1], typeof(TakeLine));
        count = (TakeCount)Function(addresses[2], typeof(TakeCount));
        message = (TakeLine)Function(addresses[3], typeof(TakeLine));
    }

    static Delegate Function(string address, Type type)
    {
        long number = long.Parse(address, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        return Marshal.GetDelegateForFunctionPointer(new IntPtr(number), type);
    }

    internal override bool Quiet(bool on)
    {
        return quiet(on ? 1 : 0) != 0;
    }

    internal override void Write(byte[] bytes)
    {
        Give(line, bytes);
    }

    internal void Report(byte[] bytes)
    {
        Give(message, bytes);
    }

    static void Give(TakeLine function, byte[] bytes)
    {
        GCHandle pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
        try
        {
            function(pinned.AddrOfPinnedObject(), new IntPtr(bytes.Length));
        }
        finally
        {
            pinned.Free();
        }
    }

    internal override void Count()
    {
        count();
    }
}
