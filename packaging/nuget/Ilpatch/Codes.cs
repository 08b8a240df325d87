namespace Ilpatch;

/// <summary>What the library says of a status or a reason.</summary>
public static unsafe class Codes
{
    /// <summary>The name of a status, as <c>ilpatch explain</c> takes it: "TRUNCATED". "UNKNOWN" for a number that is no status.</summary>
    public static string Code(this Status status) => Native.Text(Native.ilp_status_name(status));

    /// <summary>A sentence: "the data ends too early".</summary>
    public static string Text(this Status status) => Native.Text(Native.ilp_status_text(status));

    /// <summary>Whose fault it is.</summary>
    public static StatusClass Class(this Status status) => Native.ilp_status_class(status);

    /// <summary>The code of a reason, as reports have it: "byref-like".</summary>
    public static string Code(this Reason reason) => Native.Text(Native.ilp_reason_code(reason));

    /// <summary>A sentence: "returns a byref-like value type, which cannot be boxed".</summary>
    public static string Text(this Reason reason) => Native.Text(Native.ilp_reason_text(reason));

    /// <summary>Whether something is to be done about it.</summary>
    public static ReasonKind Kind(this Reason reason) => Native.ilp_reason_kind(reason);
}
