// DeclSecurity, ClassLayout, FieldMarshal, Event and an embedded resource, as Mono's compiler writes them.
using System;
using System.Runtime.InteropServices;
using System.Security.Permissions;

[StructLayout(LayoutKind.Sequential, Pack = 2)]
public struct Layout { [MarshalAs(UnmanagedType.ByValArray, SizeConst = 4)] public int[] Four; }

[SecurityPermission(SecurityAction.Demand, Execution = true)]
public class Secure
{
    public event EventHandler Changed;
    [SecurityPermission(SecurityAction.Assert, Unrestricted = true)]
    public object Raise() { if (Changed != null) Changed(this, EventArgs.Empty); return Changed; }
}
