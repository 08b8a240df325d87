using System.Reflection;
using System.Runtime.InteropServices;

[assembly: AssemblyTitle("ilpatch inspector")]
[assembly: AssemblyDescription("Prints the values that inspected methods return")]
[assembly: AssemblyProduct("ilpatch")]

// The version that patched files refer to stays while Helper keeps its methods: so files that were
// patched by two versions of ilpatch can share one folder with either inspector. .NET accepts the
// same or a later version than a file refers to, .NET Framework only the same.
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion("1.1.0.0")]
[assembly: ComVisible(false)]
