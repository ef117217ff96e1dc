package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/spelling"
)

// This file replaces cobra's messages about errors in a command line, which mention args and Go functions, by messages
// in the words of the verb's help.

// things maps the arguments of a usage line, such as DIR, to the words of messages, such as "a release folder".
var things = map[string]string{"JOB": "a job file", "DIR": "a release folder", "JOB|DIR": "a job file or a release " +
	"folder",
	"FILE": "a file", "FILE…": "a file", "DIR…": "release folders", "EARLIER": "two release folders",
	"FILE...": "the files of all shards", "ADDRESS": "where to publish it", "TO": "where to copy it",
	"CODE|KEY|WORD": "what to explain"}

// explainArguments replaces cobra's error texts for a verb and its subcommands.
func explainArguments(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return flagProblem(cmd)
			}
			_, takes, _ := strings.Cut(cmd.Use, " ")
			usage := strings.TrimSpace(cmd.CommandPath() + " " + takes)
			first, second, _ := strings.Cut(takes, " ")
			switch {
			case takes == "" && cmd.HasSubCommands():
				return unknownCommand(cmd, args[0])
			case takes == "":
				return seeHelp(cmd, usage+" takes no arguments")
			case len(args) == 1 && things[second] != "":
				return console.Usagef("name %s, too: %s", things[second], usage)
			case len(args) > 0 && cmd.Flags().Lookup("param") != nil && strings.Contains(args[len(args)-1], "="):
				return console.Usagef("%q is no argument of %s; a parameter of the job is set by --param %[1]s",
					args[len(args)-1], usage)
			case len(args) > 0:
				return seeHelp(cmd, "these are not the arguments of "+usage)
			case things[first] != "":
				return console.Usagef("name %s: %s", things[first], usage)
			default:
				return console.Usagef("name %s: %s", first, usage)
			}
		}
	}
	for _, sub := range cmd.Commands() {
		explainArguments(sub)
	}
}

// flagProblem returns an error that names a required flag that is not set, or two flags that exclude each other.
func flagProblem(cmd *cobra.Command) (err error) {
	flags := cmd.Flags()
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed && err == nil {
			err = console.Usagef("--%s is missing: %s", f.Name, f.Usage)
		}
	})
	if err != nil || cmd.ValidateFlagGroups() == nil {
		return err
	}
	flags.Visit(func(f *pflag.Flag) { // each group is a text of names
		for _, group := range f.Annotations["cobra_annotation_required_if_others_set"] {
			for _, name := range strings.Fields(group) {
				if !flags.Changed(name) {
					err = console.Usagef("--%s needs --%s: %s", f.Name, name, flags.Lookup(name).Usage)
				}
			}
		}
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			for _, name := range strings.Fields(group) {
				if name != f.Name && flags.Changed(name) {
					err = console.Usagef("--%s and --%s exclude each other", f.Name, name)
				}
			}
		}
	})
	return err
}

func seeHelp(cmd *cobra.Command, text string) error {
	return &console.UsageError{Text: text, Hint: "see " + cmd.CommandPath() + " --help"}
}

// unknownCommand returns an error for a word that is no subcommand of cmd, with the most similar subcommand.
func unknownCommand(cmd *cobra.Command, word string) error {
	hint := "see " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(word); len(like) > 0 {
		hint = "did you mean " + cmd.CommandPath() + " " + like[0] + "? " + hint
	}
	return &console.UsageError{Text: fmt.Sprintf("unknown command %q for %q", word, cmd.CommandPath()), Hint: hint}
}

func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return seeHelp(cmd, "--"+missing.GetSpecifiedName()+" needs a value")
	case errors.As(err, &invalid):
		what := map[string]string{"int": "a whole number", "int64": "a whole number",
			"float64": "a number", "bool": "true or false"}[invalid.GetFlag().Value.Type()]
		if what == "" {
			return seeHelp(cmd, "--"+invalid.GetFlag().Name+": "+errors.Unwrap(invalid).Error())
		}
		return seeHelp(cmd, fmt.Sprintf("--%s must be %s, not %q", invalid.GetFlag().Name, what, invalid.GetValue()))
	}
	return seeHelp(cmd, err.Error())
}

// unknownFlag returns an error for a flag that cmd does not have, with the most similar flag.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	text, name := "unknown flag: --"+err.GetSpecifiedName(), err.GetSpecifiedName()
	if short := err.GetSpecifiedShortnames(); short != "" { // one dash, as in -quiet
		text, name = "unknown flag: -"+short, short
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if like := similarFlag(cmd.Flags(), name); like != "" {
		hint = "did you mean --" + like + "? " + hint
	} else if cmd.Flags().Lookup("param") != nil {
		hint = "a parameter of the job is set by --param name=value; " + hint
	}
	return &console.UsageError{Text: text, Hint: hint}
}

// similarFlag returns the flag whose name is most similar to name, or begins with it; "" if there is none.
func similarFlag(flags *pflag.FlagSet, name string) (like string) {
	name, _, _ = strings.Cut(strings.ToLower(name), "=")
	least := 1 + len([]rune(name))/3
	flags.VisitAll(func(f *pflag.Flag) {
		distance := spelling.Distance(name, f.Name)
		if len(name) > 2 && strings.HasPrefix(f.Name, name) {
			distance = 1
		}
		if distance <= least && len(name) > 1 && !f.Hidden {
			like, least = f.Name, distance-1
		}
	})
	return like
}
