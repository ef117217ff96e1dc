package command

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

var updatePage = flag.Bool("update-cli", false, "write docs/reference/cli.md")

// The page of all commands is generated from the program's own help, so it cannot lack a flag or name a removed one.
func TestCommandPageIsCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "reference", "cli.md")
	root := (&app{Console: console.New(io.Discard, io.Discard)}).root()
	var page bytes.Buffer
	writeCommandPage(&page, root)
	if *updatePage {
		if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil { //nolint:gosec // public documentation
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, page.Bytes()) {
		t.Errorf("docs/reference/cli.md is not current (%v): run go generate ./cmd/release/command", err)
	}
	for _, part := range []string{"## release ledger budget set", "`--new-release`", "\n  75   "} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}

// writeCommandPage writes the exit codes, a list of the commands, and a section for each of them.
func writeCommandPage(w *bytes.Buffer, root *cobra.Command) {
	w.WriteString("<!-- Generated from the program's help by go generate ./cmd/release/command. Do not edit. -->\n" +
		"# The command line\n")
	writeHelp(w, root.Long)
	w.WriteString("\n`release completion bash|zsh|fish|powershell` prints completions for a shell. " +
		"Every command has these flags, too:\n")
	writeFlags(w, root.PersistentFlags())
	var commands []*cobra.Command
	var collect func(*cobra.Command)
	collect = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && !slices.Contains([]string{"help", "completion"}, sub.Name()) {
				commands = append(commands, sub)
				collect(sub)
			}
		}
	}
	collect(root)
	w.WriteString("\n## Commands\n\n| command | what it does |\n|---|---|\n")
	for _, c := range commands {
		anchor := strings.ReplaceAll(c.CommandPath(), " ", "-")
		// Writing to a buffer cannot fail.
		_, _ = fmt.Fprintf(w, "| [%s](#%s) | %s |\n", c.CommandPath(), anchor, escape(c.Short))
	}
	for _, c := range commands {
		writeCommand(w, c)
	}
}

func writeCommand(w *bytes.Buffer, c *cobra.Command) {
	_, _ = fmt.Fprintf(w, "\n## %s\n\n```text\n%s\n```\n", c.CommandPath(), strings.TrimSuffix(c.UseLine(), " [flags]"))
	if c.Long == "" {
		writeHelp(w, c.Short+".")
	}
	writeHelp(w, c.Long)
	if c.Example != "" {
		lines := strings.ReplaceAll(strings.TrimPrefix(c.Example, "  "), "\n  ", "\n")
		_, _ = fmt.Fprintf(w, "\nExamples:\n\n```text\n%s\n```\n", lines)
	}
	writeFlags(w, c.NonInheritedFlags())
}

// writeHelp formats a help text: paragraphs with an indented line keep their layout, the others are wrapped.
func writeHelp(w *bytes.Buffer, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		indented := func(line string) bool { return strings.HasPrefix(line, "  ") }
		switch i := slices.IndexFunc(lines, indented); {
		case paragraph == "":
		case i < 0:
			w.WriteString("\n" + escape(paragraph) + "\n")
		default:
			if i > 0 {
				w.WriteString("\n" + escape(strings.Join(lines[:i], "\n")) + "\n")
			}
			w.WriteString("\n```text\n" + strings.Join(lines[i:], "\n") + "\n```\n")
		}
	}
}

func writeFlags(w *bytes.Buffer, flags *pflag.FlagSet) {
	var rows strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		_, _ = fmt.Fprintf(&rows, "| `%s` | %s", strings.TrimSpace("--"+f.Name+" "+kind), escape(usage))
		// The default number of workers is the number of the machine's cores.
		if f.Name != "workers" && !slices.Contains([]string{"", "false", "0", "[]"}, f.DefValue) {
			_, _ = fmt.Fprintf(&rows, " (default `%s`)", f.DefValue)
		}
		rows.WriteString(" |\n")
	})
	if rows.Len() > 0 {
		w.WriteString("\n| flag | meaning |\n|---|---|\n" + rows.String())
	}
}

// escape keeps Markdown from reading a text of the help as markup.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`).Replace(s)
}
