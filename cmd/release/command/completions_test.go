package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// Completions of values are words of a fixed set, files of the right kind, folders, or nothing.
func TestValuesComplete(t *testing.T) {
	for typed, want := range map[string]string{
		"run --log ":                                 "text json :4",
		"ledger budget set --per ":                   "total day month year :4",
		"ledger budget set --adjacency ":             "add-remove replace-one :4",
		"denoise --shape ":                           "none :4",
		"denoise --method isotonic --set ":           "direction= :6",
		"denoise --input ":                           "csv gz zst parquet arrow feather :8",
		"run ":                                       "yaml yml json :8",
		"plan ../../../configs/nightly.yaml ":        ":4",
		"run ../../../configs/nightly.yaml --param ": "day= width= :6",
		"run --out ":                                 ":16",
		"run --sign ":                                "key :8",
		"verify ":                                    ":16",
		"verify --key ":                              "pub :8",
		"verify --job ":                              "yaml yml json :8",
		"ledger show --store ":                       "sqlite: sqlite+group: postgres:// :6",
		"ledger copy ":                               "sqlite: sqlite+group: postgres:// :6",
		"withdraw ":                                  "--reason yaml yml json :8",
		"withdraw --store ":                          "sqlite: sqlite+group: postgres:// :6",
		"preview --rows ":                            ":4",
		"preview --out ":                             ":16",
		"run --anchor ":                              ":0",
		"init --unit ":                               "row :4",
		"init --ledger ":                             "sqlite: sqlite+group: postgres:// :6",
		"ledger show ../../../configs/nightly.yaml --dataset ": "trips :4",
		"run --metrics ":             "prom :8",
		"run --workers ":             ":4",
		"calibrate sigma --epsilon ": ":4",
		"denoise --input ../../../no/such/folder --query ": ":4",
	} {
		var out, errors bytes.Buffer
		args := append([]string{"__complete"}, strings.Split(typed, " ")...)
		if code := execute(t.Context(), args, &out, &errors); code != exitDone {
			t.Errorf("%s: exit code %d: %s", typed, code, errors.String())
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t") // a description follows the word
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", typed, strings.Join(got, " "), want)
		}
	}
}

// Every method of denoising is offered, and every flag with a value has a completion of its own.
func TestEveryFlagCompletes(t *testing.T) {
	a := &app{Console: console.New(nil, nil)}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, known := cmd.GetFlagCompletionFunc(f.Name); !known && f.Value.Type() != "bool" {
				t.Errorf("%s --%s completes with any file", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(a.root())
	if got := methodsOfDenoise(); len(got) < 14 || !strings.HasPrefix(got[0], "auto\t") {
		t.Errorf("methods: %q", got)
	}
}
