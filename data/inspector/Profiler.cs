// In a process with the profiler: what it does for the inspector. It writes the lines, so that they are in order with those that
// it writes itself, counts values together with its own, and shows nothing of what the inspector calls. See StartupHook.cs.

namespace MyProfiler
{
    abstract class Profiler
    {
        internal static Profiler Present;       // null: there is none, or it shows nothing itself

        // Whether anybody reads the lines.
        internal abstract bool Quiet(bool on);
        internal abstract void Write(byte[] bytes);
        internal abstract void Count();
    }
}
