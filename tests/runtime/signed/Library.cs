using System.Reflection;

#if SIGNATURE_KEY
[assembly: AssemblySignatureKey(Keys.Signature, Keys.Counter)]
#endif

public static class Library
{
    public static int Twice(int value) { return value + value; }
}
