package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	denoiseverb "github.com/dprelease/dprelease/cmd/release/internal/denoise"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/io/sink"
)

// Completions of values
//
// The shell asks the program for completions of the typed text. Flags with a few known words offer these words, and
// flags of files offer files of their kind. All other flags, such as numbers and free texts, offer an empty list:
// otherwise the shell would offer every file of the folder.

type offer = cobra.CompletionFunc

func words(w ...string) offer {
	return cobra.FixedCompletions(w, cobra.ShellCompDirectiveNoFileComp)
}

// files offers files whose names have one of these endings, and all folders.
func files(endings ...string) offer {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func anyFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

var (
	nothing  = words()
	jobFiles = files("yaml", "yml", "json")
	tables   = files("csv", "gz", "zst", "parquet", "arrow", "feather")
	stores   = cobra.FixedCompletions([]string{"sqlite:", "sqlite+group:", "postgres://"},
		cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp)
	onlyFirst = func(o offer) offer {
		return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return o(cmd, args, typed)
		}
	}
)

// flagOffers has completions of flags. A key is a command and a flag, or the flag alone if it means the same in all
// commands.
var flagOffers = map[string]offer{
	"log": words("text", "json"), "per": words("total", "day", "month", "year"), "adjacency": words("add-remove",
		"replace-one"),
	"anchor": anyFile, "init/ledger": stores, "unit": words("row"), "dataset": datasetOf,
	"param": jobParams, "job": jobFiles, "store": stores, "out": folders, "tmp-dir": folders, "metrics": files("prom"),
	"sign": files("key"), "key": files("pub"),
	"aggregate/key": files("key"), "aggregate/new-key": files("key"), "aggregate/out": anyFile, "merge/key": files("key"),
	"denoise/input": tables, "denoise/edges": tables, "denoise/out": files("csv"), "denoise/risk": files("csv"),
	"denoise/shape":  words("none"),
	"denoise/method": words(methodsOfDenoise()...), "denoise/set": stepParams, "denoise/query": queriesOf,
	"denoise/value": words("noisy"),
}

// argumentOffers has completions of arguments. A key is the first word after the command's name in its usage line.
var argumentOffers = map[string]offer{
	"JOB": onlyFirst(jobFiles), "JOB|DIR": onlyFirst(jobFiles), "FROM": stores, "JOB|--store": onlyFirst(jobFiles),
	"DIR": onlyFirst(folders), "FILE": onlyFirst(anyFile),
}

// complete adds completions to the arguments and flags of all commands, except those that already have completions.
func complete(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = nothing
		if _, arguments, some := strings.Cut(cmd.Use, " "); some {
			if o, known := argumentOffers[strings.Fields(arguments)[0]]; known {
				cmd.ValidArgsFunction = o
			}
		}
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	each := func(f *pflag.Flag) {
		if _, there := cmd.GetFlagCompletionFunc(f.Name); there || f.Value.Type() == "bool" {
			return
		}
		o, known := flagOffers[name+"/"+f.Name]
		if !known {
			o, known = flagOffers[f.Name]
		}
		if !known {
			o = nothing
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, o) // no error: the flag exists and has no completion yet
	}
	cmd.LocalFlags().VisitAll(each)
	for _, sub := range cmd.Commands() {
		complete(sub)
	}
}

// datasetOf offers the dataset of the job on the command line.
func datasetOf(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if job := jobOf(args); job != nil {
		return []string{job.Ledger.Dataset}, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// jobOf returns the job on the command line; nil if there is none, or if it cannot be read.
func jobOf(args []string) *configs.Job {
	if len(args) == 0 {
		return nil
	}
	// Any variable may name the ledger: its sample value is a valid ledger, and a valid file name too.
	job, _ := configs.Load(args[0], configs.ParseOptions{Sample: true,
		Env: func(string) (string, bool) { return "sqlite:sample", true }})
	return job
}

// jobParams offers the parameters of the job on the command line, each with an equals sign.
func jobParams(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if job := jobOf(args); job != nil {
		for name := range job.ParamValues() {
			names = append(names, name+"=")
		}
		slices.Sort(names)
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func methodsOfDenoise() (names []string) {
	for _, m := range denoise.Methods() {
		names = append(names, m.Name+"\t"+m.Doc)
	}
	return names
}

// stepParams offers the parameters of the last method on the command line.
func stepParams(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if typed, ok := cmd.Flags().Lookup("method").Value.(denoiseverb.MethodFlag); ok {
		for _, m := range denoise.Methods() {
			for _, p := range m.Params {
				if m.Name == typed.Last() {
					names = append(names, p.Name+"=\t"+p.Doc)
				}
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// queriesOf offers the queries of the release folder on the command line.
func queriesOf(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	dir, _ := cmd.Flags().GetString("input") // no error: the flag exists
	m, _, err := sink.ReadManifest(dir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for i := range m.Queries {
		names = append(names, m.Queries[i].Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
