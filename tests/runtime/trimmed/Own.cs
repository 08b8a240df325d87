// An inspector that uses what trimmed programs lack, and more of it where it is never called.

using System;
using System.Threading;

public static class Own
{
    public static void MyInspector(object value)
    {
        using var barrier = new Barrier(1);
        barrier.SignalAndWait();
        Show(value);
    }

    static void Show(object value)
    {
        Console.Error.WriteLine(value);
        Thread.CurrentThread.Interrupt();
    }

    public static void NeverCalled() => new Mutex().WaitOne();
}
