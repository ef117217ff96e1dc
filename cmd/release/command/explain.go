package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/explain"
)

func (a *app) explainCmd() *cobra.Command {
	return &cobra.Command{
		Use: "explain CODE|KEY|WORD", Short: "Explain an error code, a key of the job file, a denoising method or a word",
		Long: `explain prints what an error code means and what to do, what a key of the job file says, what a denoising method does, or what a word of the field
means. A key may be given by its path or by its last part. It reads no file.`,
		Example:           "  release explain over-budget\n  release explain max_rows\n  release explain privacy unit",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: onlyFirst(words(explain.Names()...)),
		RunE:              func(_ *cobra.Command, args []string) error { return a.explain(strings.Join(args, " ")) },
	}
}

func (a *app) explain(word string) error {
	found, similar, err := explain.Find(word)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		if len(similar) == 0 {
			return console.Usagef("nothing is known of %q; release explain takes an error code, a key of the job file, a "+
				"denoising method or a word of the glossary", word)
		}
		return console.Usagef("nothing is known of %q; similar: %s", word, strings.Join(similar, ", "))
	}
	for i, e := range found {
		if i > 0 {
			if err := a.Printf("\n"); err != nil {
				return err
			}
		}
		if err := a.Print(fmt.Sprintf("%s (%s)\n  %s\n", e.Name, e.Kind,
			strings.ReplaceAll(e.Text, "\n", "\n  "))); err != nil {
			return err
		}
	}
	return nil
}
