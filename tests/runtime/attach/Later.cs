// Loaded when the profiler is there.
public static class Later
{
    static int Inner(int value) => value * 2;
    public static int Answer(int value) => Inner(value) + 1;
}
