// What PowerShell offers for lines of standard input:  dotnet PowerShell.dll SCRIPT
//
// The engine alone, System.Management.Automation, since the shell is in no package. SCRIPT registers its completer; each match is a line: the
// number of the input line, a tab, the text.
using System;
using System.IO;
using System.Management.Automation;
using System.Management.Automation.Runspaces;

static class Complete
{
    static void Run(PowerShell shell, string script)
    {
        shell.Commands.Clear();
        shell.AddScript(script).Invoke();
        foreach (ErrorRecord error in shell.Streams.Error) throw new InvalidOperationException(error.ToString());
    }

    static void Main(string[] arguments)
    {
        using Runspace runspace = RunspaceFactory.CreateRunspace(InitialSessionState.CreateDefault2());
        runspace.Open();
        using PowerShell shell = PowerShell.Create();
        shell.Runspace = runspace;
        Run(shell, "function global:Sort-Object { $all = @($input); [Array]::Sort($all); $all }"); // it is in a module of the shell
        Run(shell, File.ReadAllText(arguments[0]));
        string line;
        for (int number = 1; (line = Console.ReadLine()) != null; number++)
        {
            shell.Commands.Clear();
            foreach (CompletionResult match in CommandCompletion.CompleteInput(line, line.Length, null, shell).CompletionMatches)
                Console.WriteLine($"{number}\t{match.CompletionText}");
        }
    }
}
