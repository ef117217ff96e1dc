package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// This file replaces cobra's messages about errors in a command line, which mention args and Go functions, by messages
// in the words of the verb's help.

// things maps the arguments of a usage line, such as DIR, to the words of messages, such as "a release folder".
var things = map[string]string{"JOB": "a job file", "DIR": "a release folder", "JOB|DIR": "a job file or a release folder",
	"FILE": "a file", "FILE…": "a file", "DIR…": "release folders", "EARLIER": "two release folders",
	"CODE|KEY|WORD": "what to explain"}

// explainArguments replaces cobra's error texts for a verb and its subcommands.
func explainArguments(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return missingFlag(cmd)
			}
			_, takes, _ := strings.Cut(cmd.Use, " ")
			usage := strings.TrimSpace(cmd.CommandPath() + " " + takes)
			switch first, _, _ := strings.Cut(takes, " "); {
			case takes == "" && cmd.HasSubCommands():
				return unknownCommand(cmd, args[0])
			case takes == "":
				return seeHelp(cmd, usage+" takes no arguments")
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

// missingFlag returns an error that names the required flags that are not set.
func missingFlag(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed && err == nil {
			err = console.Usagef("--%s is missing: %s", f.Name, f.Usage)
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
	switch {
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
