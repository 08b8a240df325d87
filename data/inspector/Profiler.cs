// The profiler's functions for the inspector, in a process with the profiler. It writes the lines,
// so that they are in order with its own, counts values together with its own, and ignores the
// inspector's own calls. See StartupHook.cs.

namespace MyProfiler
{
    abstract class Profiler
    {
        internal static Profiler Present;       // null: there is none, or it does not show values

        // Returns false if the output is discarded.
        internal abstract bool Quiet(bool on);
        internal abstract void Write(byte[] bytes);
        internal abstract void Count();
    }
}
