using System.Reflection;
using System.Runtime.InteropServices;

[assembly: AssemblyTitle("ilpatch inspector")]
[assembly: AssemblyDescription("Prints the values that inspected methods return")]
[assembly: AssemblyProduct("ilpatch")]
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion("1.0.0.0")]
[assembly: ComVisible(false)]
