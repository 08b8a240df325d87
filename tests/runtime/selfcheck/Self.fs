// The same in F#: unions, options, records, lists, maps and sets. `dotnet SelfFSharp.dll EXPECTED THREADS ROUNDS`, as program.py says.
namespace Self

open System.Collections.Generic
open System.IO
open System.Runtime.CompilerServices
open System.Threading

type Shape =
    | Circle of radius: int
    | Box of width: int * height: int
    | Empty

type Id = Id of int

[<Struct>]
type Either =
    | Left of left: int
    | Right of right: string * more: int
    | Neither

[<Struct>]
type Point = { X: int; Y: int64 }

type Person = { Name: string; mutable Age: int; Friend: Person option }
type Tree<'T> = Leaf | Node of Tree<'T> * 'T * Tree<'T>

module Values =
    let elements n count = [ for i in n .. n + count - 1 -> string i ]

    // As values of so many elements are written.
    let listed (texts: string list) =
        let shown = String.concat ", " (List.truncate 8 texts)
        match texts.Length with
        | 0 -> "[0]"
        | count -> "[" + string count + ": " + shown + (if count > 8 then ", ...]" else "]")

    let option = "Microsoft.FSharp.Core.FSharpOption`1[System.Int32]"
    let person n = "{Name=\"p" + string n + "\", Age=" + string n + ", Friend=null}"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetShape n = match n % 3 with 0 -> Circle n | 1 -> Box(n, -n) | _ -> Empty
    let Shape n =
        match n % 3 with
        | 0 -> "Circle(" + string n + ") (Self.Shape+Circle)"
        | 1 -> "Box(" + string n + ", " + string -n + ") (Self.Shape+Box)"
        | _ -> "Empty (Self.Shape+_Empty)"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetId n = Id n
    let Id n = "Id(" + string n + ") (Self.Id)"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetEither n = match n % 3 with 0 -> Left n | 1 -> Right("r" + string n, n) | _ -> Neither
    let Either n =
        (match n % 3 with
         | 0 -> "Left(" + string n + ")"
         | 1 -> "Right(\"r" + string n + "\", " + string n + ")"
         | _ -> "Neither") + " (Self.Either)"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetOption n = if n % 4 = 0 then None else Some n
    let Option n = if n % 4 = 0 then "null" else "Some(" + string n + ") (" + option + ")"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetValue n = if n % 4 = 0 then ValueNone else ValueSome n
    let Value n =
        (if n % 4 = 0 then "ValueNone" else "ValueSome(" + string n + ")")
        + " (Microsoft.FSharp.Core.FSharpValueOption`1[System.Int32])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetResult n : Result<int, string> = if n % 2 = 0 then Ok n else Error("e" + string n)
    let Result n =
        (if n % 2 = 0 then "Ok(" + string n + ")" else "Error(\"e" + string n + "\")")
        + " (Microsoft.FSharp.Core.FSharpResult`2[System.Int32,System.String])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetPoint n = { X = n; Y = int64 -n }
    let Point n = "{X=" + string n + ", Y=" + string -n + "} (Self.Point)"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetPerson n =
        let friend = { Name = "p" + string (n + 1); Age = n + 1; Friend = None }
        { Name = "p" + string n; Age = n; Friend = Some friend }
    let Person n =
        "{Name=\"p" + string n + "\", Age=" + string n + ", Friend=Some(Person " + person (n + 1) + ")} (Self.Person)"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetTree n = Node(Node(Leaf, n - 1, Leaf), n, Leaf)
    let Tree n = "Node(Node(Leaf, " + string (n - 1) + ", Leaf), " + string n + ", Leaf) (Self.Tree`1+Node[System.Int32])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetList n = [ n .. n + n % 12 - 1 ]
    let List n = listed (elements n (n % 12)) + " (Microsoft.FSharp.Collections.FSharpList`1[System.Int32])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetMap n = Map.ofList [ for i in n .. n + n % 12 - 1 -> i, "v" ]
    let Map n =
        listed [ for text in elements n (n % 12) -> text + "=\"v\"" ]
        + " (Microsoft.FSharp.Collections.FSharpMap`2[System.Int32,System.String])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetSet n = Set.ofList [ n .. n + n % 12 - 1 ]
    let Set n = listed (elements n (n % 12)) + " (Microsoft.FSharp.Collections.FSharpSet`1[System.Int32])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetTuple n = n, Some n
    let Tuple n = "(" + string n + ", Some(" + string n + ")) (System.Tuple`2[System.Int32," + option + "])"

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let GetSame<'T> (value: 'T) = value

    let all n (lines: List<string>) =
        let add name text = lines.Add("Self.Values::" + name + " -> " + text)
        GetShape n |> ignore
        add "GetShape" (Shape n)
        GetId n |> ignore
        add "GetId" (Id n)
        GetEither n |> ignore
        add "GetEither" (Either n)
        GetOption n |> ignore
        add "GetOption" (Option n)
        GetValue n |> ignore
        add "GetValue" (Value n)
        GetResult n |> ignore
        add "GetResult" (Result n)
        GetPoint n |> ignore
        add "GetPoint" (Point n)
        GetPerson n |> ignore
        add "GetPerson" (Person n)
        GetTree n |> ignore
        add "GetTree" (Tree n)
        GetList n |> ignore
        add "GetList" (List n)
        GetMap n |> ignore
        add "GetMap" (Map n)
        GetSet n |> ignore
        add "GetSet" (Set n)
        GetTuple n |> ignore
        add "GetTuple" (Tuple n)
        GetSame(Circle n) |> ignore
        add "GetSame" ("Circle(" + string n + ") (Self.Shape+Circle)")
        GetSame(Left n) |> ignore
        add "GetSame" ("Left(" + string n + ") (Self.Either)")

module Program =
    [<EntryPoint>]
    let main arguments =
        let threads, rounds = int arguments[1], int arguments[2]
        let lines = [ for _ in 1 .. threads -> List<string>() ]
        let round number =
            for i in 0 .. rounds - 1 do
                Values.all (number * 1000 + i * 3 + i % 2) lines[number]
                if i % 8 = 7 then System.GC.Collect(i % 3)
        let running = [ for t in 0 .. threads - 1 -> Thread(fun () -> round t) ]
        for thread in running do thread.Start()
        for thread in running do thread.Join()
        File.WriteAllLines(arguments[0], Seq.concat lines)
        3
