using System;

namespace Ilpatch;

/// <summary>What a function of the library reports: what is wrong, and where.</summary>
public sealed class IlpatchException : Exception
{
    internal unsafe IlpatchException(Status status, in Native.Error error) : base(MessageOf(error))
    {
        Status = status;
        Offset = error.Offset == ulong.MaxValue ? null : checked((long)error.Offset);
        Token = error.Token == 0 ? null : (int)error.Token;
        Line = error.Line == 0 ? null : (int)error.Line;
        Column = error.Column == 0 ? null : (int)error.Column;
    }

    /// <summary>The kind of thing that is wrong. docs/ERRORS.md has the cause and the cure of each.</summary>
    public Status Status { get; }

    /// <summary>Whose fault it is: the file's, the request's, the caller's.</summary>
    public StatusClass Class => Status.Class();

    /// <summary>Where in the file, in bytes from its start; null where there is no such place.</summary>
    public long? Offset { get; }

    /// <summary>The row of metadata that it is about; null where there is none.</summary>
    public int? Token { get; }

    /// <summary>The line of a rule file, from 1 on; null where there is none.</summary>
    public int? Line { get; }

    /// <summary>The column of a rule file in characters, from 1 on; null where there is none.</summary>
    public int? Column { get; }

    private static unsafe string MessageOf(in Native.Error error)
    {
        fixed (byte* message = error.Message)
        {
            return Native.Text(message);
        }
    }
}
