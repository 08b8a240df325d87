// What values of F# types are shown as: as Cases.cs is for C#, with the lines in fsharp.txt.
namespace Samples

type Shape =
    | Circle of radius: float
    | Square of float * float
    | Empty

type Many =
    | A of int
    | B of string
    | C
    | D of int * string
    | E

type Id = Id of int
type Wrapped = Inside of name: string * size: int
type Only = OnlyOne
type Color = Red | Green | Blue

[<Struct>]
type Point = { X: int; Y: int }

[<Struct>]
type Either =
    | Left of left: int
    | Right of right: string * more: int
    | Neither

[<Struct>]
type Small = Small of int

type Person = { Name: string; mutable Age: int; Friend: Person option }
type Tree<'T> = Leaf | Node of Tree<'T> * 'T * Tree<'T>

[<CompilationRepresentation(CompilationRepresentationFlags.UseNullAsTrueValue)>]
type Perhaps = Nope | Yes of int

type Login =
    | Token of string
    | Named of user: string * password: string * tries: int
    | Count of tokens: int

type Account = { User: string; ApiKey: string option }

type Ring = { mutable Next: Ring list }

type Class(x: int) =
    member val Auto = 5 with get, set
    member _.X = x

namespace Cases

open Samples

module Unions =
    let Circle () = Circle 2.5
    let Square () = Square(1.0, 2.0)
    let Nothing () = Empty
    let ManyA () = A 1
    let ManyB () = B null
    let ManyC () = C
    let ManyD () = D(1, "d")
    let ManyE () = E
    let Single () = Id 5
    let SingleNamed () = Inside("n", 3)
    let Only () = OnlyOne
    let Plain () = Green
    let StructLeft () = Left 1
    let StructRight () = Right("r", 2)
    let StructNeither () = Neither
    let StructSingle () = Small 7
    let Trees () = Node(Node(Leaf, 1, Leaf), 2, Leaf)
    let Deep () = Node(Node(Node(Node(Leaf, 4, Leaf), 3, Leaf), 2, Leaf), 1, Leaf)
    let NotNull () = Yes 5
    let Null () = Nope
    let Within () : obj = box [| box (Shape.Circle 1.0); box C; box (Id 1); box (Left 2) |]

module Secrets =
    let ByCase () = Token "t"
    let ByField () = Named("ada", "p", 3)
    let Number () = Count 3
    let Record () = { User = "ada"; ApiKey = Some "k" }
    let ApiKeys () = [ "k" ]

module Core =
    let Option () = Some 3
    let OptionNone () : int option = None
    let OptionText () = Some "a"
    let Options () = Some(Some 3)
    let Value () = ValueSome 3
    let ValueNone () : int voption = ValueOption.ValueNone
    let Success () : Result<int, string> = Ok 3
    let Failure () : Result<int, string> = Error "e"
    let Choice () : Choice<int, string> = Choice2Of2 "c"

module Lists =
    let Empty () : int list = []
    let Three () = [ 1; 2; 3 ]
    let Nine () = [ 1 .. 9 ]
    let Most () = [ 1 .. 256 ]
    let Long () = [ 1 .. 1000 ]
    let OfRecords () = [ { X = 1; Y = 2 } ]
    let OfLists () = [ [ [ [ 1 ] ] ]; [] ]
    let OfOptions () = [ Some 1; None ]
    let Cycle () = let ring = { Next = [] } in ring.Next <- [ ring ]; ring

module Trees =
    let Table () = box (Map.ofList [ 2, "b"; 1, "a" ])
    let NoTable () = box (Map.empty: Map<int, string>)
    let Nine () = box (Map.ofList [ for i in 1 .. 9 -> i, -i ])
    let Most () = box (Map.ofList [ for i in 1 .. 256 -> i, i ])
    let Long () = box (Map.ofList [ for i in 1 .. 1000 -> i, i ])
    let ByName () = box (Map.ofList [ "password", "p"; "user", "u" ])
    let OfTables () = box (Map.ofList [ 1, Map.ofList [ "a", Map.ofList [ 'x', 1 ] ] ])
    let Three () = box (Set.ofList [ 3; 1; 2 ])
    let NoNames () = box (Set.empty: Set<string>)
    let Names () = box (Set.ofList [ "b"; "a" ])
    let Numbers () = box (Set.ofList [ 1 .. 1000 ])
    let Within () : obj = box {| Ages = Map.ofList [ "ada", 36 ]; Names = Set.ofList [ "ada" ] |}

module Records =
    let Struct () = { X = 1; Y = 2 }
    let Record () = { Name = "x"; Age = 3; Friend = Some { Name = "y"; Age = 4; Friend = None } }
    let Anonymous () = {| Name = "x"; Age = 3 |}
    let Object () = Class 4

module Program =
    // All functions of the modules above, in their order.
    [<EntryPoint>]
    let main _ =
        for cases in System.Reflection.Assembly.GetExecutingAssembly().GetTypes() do
            if cases.Namespace = "Cases" && cases.IsPublic && cases.Name <> "Program" then
                for case in cases.GetMethods() do
                    if case.IsStatic && case.GetParameters().Length = 0 then case.Invoke(null, null) |> ignore
        0
