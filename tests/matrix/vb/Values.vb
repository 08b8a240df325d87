' app/Values.cs and app/Program.cs in Visual Basic.
Imports System
Imports System.Runtime.CompilerServices

Namespace Cell
    Public Enum Colour
        Red = 424201
        Aquamarine = 424202
    End Enum

    Public Structure Point
        Public X As Integer
        Public Y As Integer
    End Structure

    Public Class Values
        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Number() As Integer
            Return 424242
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Text() As String
            Return "cell-text"
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Half() As Double
            Return 4242.5
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Paint() As Colour
            Return Colour.Aquamarine
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Place() As Point
            Place.X = 424203
            Place.Y = 424204
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Echo(Of T)(value As T) As T
            Return value
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Public Shared Function Given() As Long
            Return 424301
        End Function

        <MethodImpl(MethodImplOptions.NoInlining)>
        Private Shared Function Fail(depth As Integer) As Integer
            If depth = 0 Then
                Throw New InvalidOperationException("fails")
            End If
            Return Fail(depth - 1)
        End Function

        Public Shared Sub Check()
            Dim here As Point = Place()
            If Number() <> 424242 OrElse Not String.Equals(Text(), "cell-text") OrElse Half() <> 4242.5 OrElse
                Paint() <> Colour.Aquamarine OrElse here.X <> 424203 OrElse here.Y <> 424204 OrElse
                Echo(424205) <> 424205 OrElse Not String.Equals(Echo("cell-echo"), "cell-echo") Then
                Console.WriteLine("a value is wrong")
            End If
            If Given() <> 424301 Then
                Console.Error.WriteLine("the program got another value")
            End If
            Try
                Fail(2)
            Catch exception As InvalidOperationException
                Console.WriteLine(exception.StackTrace)
            End Try
        End Sub
    End Class

    Module Program
        Sub Main()
            Console.ReadLine()
            Values.Check()
            Console.WriteLine("done")
            Environment.ExitCode = 7
        End Sub
    End Module
End Namespace
