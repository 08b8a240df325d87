// In a process with the profiler this assembly is a start-up hook: the runtime loads it before Main, so it is there for
// the first call of an inspected method. Other inspectors are loaded here, for the same reason.

using System;
using System.Reflection;

class StartupHook
{
    public static void Initialize()
    {
        string inspectors = Environment.GetEnvironmentVariable("ILPATCH_INSPECTORS");
        if (string.IsNullOrEmpty(inspectors))
        {
            return;
        }
        foreach (string file in inspectors.Split(':'))
        {
            Assembly.LoadFrom(file);
        }
    }
}
