// app/Values.cs and app/Program.cs in F#.
namespace Cell

open System
open System.Runtime.CompilerServices

type Colour =
    | Red = 424201
    | Aquamarine = 424202

[<Struct>]
type Point =
    val mutable X: int
    val mutable Y: int

[<AbstractClass; Sealed>]
type Values =
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Number() = 424242

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Text() = "cell-text"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Half() = 4242.5

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Paint() = Colour.Aquamarine

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Place() =
        let mutable place = Point()
        place.X <- 424203
        place.Y <- 424204
        place

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Echo<'T>(value: 'T) : 'T = value

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Given() = 424301L

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member private Fail(depth: int) : int =
        if depth = 0 then
            raise (InvalidOperationException "fails")
        Values.Fail(depth - 1) + 1

    static member Check() =
        let place = Values.Place()
        if Values.Number() <> 424242 || not (String.Equals(Values.Text(), "cell-text")) || Values.Half() <> 4242.5
           || Values.Paint() <> Colour.Aquamarine || place.X <> 424203 || place.Y <> 424204
           || Values.Echo 424205 <> 424205 || not (String.Equals(Values.Echo "cell-echo", "cell-echo")) then
            Console.WriteLine "a value is wrong"
        if Values.Given() <> 424301L then
            Console.Error.WriteLine "the program got another value"
        try
            Values.Fail 2 |> ignore
        with :? InvalidOperationException as failed ->
            Console.WriteLine failed.StackTrace

module Program =
    [<EntryPoint>]
    let main _ =
        Console.ReadLine() |> ignore
        Values.Check()
        Console.WriteLine "done"
        7
