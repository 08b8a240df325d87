// Loaded when the program is told to.
public static class Later
{
    public static int Answer() => 42;
}
