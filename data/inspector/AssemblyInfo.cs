using System.Reflection;
using System.Runtime.InteropServices;

[assembly: AssemblyTitle("ilpatch inspector")]
[assembly: AssemblyDescription("Prints the values that inspected methods return")]
[assembly: AssemblyProduct("ilpatch")]

// The version that patched files refer to stays while Helper keeps its methods: then those that are patched by two versions of
// ilpatch share one folder with either inspector. .NET takes no older one than a file refers to, .NET Framework no other one.
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion("1.1.0.0")]
[assembly: ComVisible(false)]
