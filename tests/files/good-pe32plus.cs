// Little, for x64: a PE32+ file.
public class C<T>
{
    public T Get(T x) { return x; }
    public static long Number() { return 0x123456789; }
    public override string ToString() { return "C"; }
}
