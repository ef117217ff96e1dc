package command

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/combine"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const combineLong = `combine adds up noisy cells of published releases, and states the error of the sum. It spends no
budget and reads no private table: whoever has the releases can repeat it.

--sum and --minus name cells, and can be given several times. --of names cells to divide by, for shares and rates:

  [WEIGHT *] [RELEASE:]TABLE [where COLUMN = LABEL [and COLUMN in (LABEL, LABEL) …]]

A condition has =, !=, <, <=, >, >= or in. Names and labels with spaces stand in double quotes. A table is named as in
the release folder: a query, or QUERY.TABLE for a marginal of crosstabs. If several releases are read, name them:
jan=out/2025-01 feb=out/2025-02, and then feb:loans_by_branch.

The interval covers the exact, bounded answer in 95 of 100 cases. It takes into account which cells have noise in
common. Noise of different queries and runs is independent. A ratio has Fieller's interval, and is not stated if the
noise alone could explain the number below the line.

Means, variances and quantiles are not sums; counts of discovered keys are selected by their noise. Both are refused.`

// combineFlags are the flags that select cells: to add, to subtract, and to divide by.
type combineFlags struct{ sum, minus, of []string }

func combineCommand(c *console.Console) *cobra.Command {
	var f combineFlags
	cmd := &cobra.Command{
		Use: "combine DIR…", Short: "Add up published cells, with the error of the sum", Long: combineLong,
		Args: cobra.MinimumNArgs(1), Example: `  release combine out --sum "loans_by_branch where branch in (Central, North)"
  release combine out --sum "loans_by_branch where branch = Central" --of loans_by_branch
  release combine jan=out/2025-01 feb=out/2025-02 --sum feb:loans --minus jan:loans`,
		RunE: func(cmd *cobra.Command, args []string) error { return combineCells(cmd.Context(), c, args, &f) },
	}
	cmd.Flags().StringArrayVar(&f.sum, "sum", nil, "cells to add up")
	cmd.Flags().StringArrayVar(&f.minus, "minus", nil, "cells to subtract")
	cmd.Flags().StringArrayVar(&f.of, "of", nil, "cells to divide by")
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print the result as JSON")
	return cmd
}

// combined is what the verb combine prints as JSON. Numbers are null if the ratio cannot be computed.
type combined struct {
	Sum      []string `json:"sum,omitempty"`
	Minus    []string `json:"minus,omitempty"`
	Of       []string `json:"of,omitempty"`
	Releases []string `json:"releases"` // the SHA-256 of each release's manifest, in the order of the arguments
	// Noisy is the noisy value. Low and High are the ends of its 95 % interval.
	Noisy     *float64 `json:"noisy"`
	Deviation *float64 `json:"standard_deviation"`
	Low       *float64 `json:"ci95_low"`
	High      *float64 `json:"ci95_high"`
}

func combineCells(ctx context.Context, c *console.Console, args []string, f *combineFlags) error {
	if len(f.sum)+len(f.minus) == 0 {
		return console.Usagef(`--sum: name the cells to add up: --sum "TABLE where COLUMN = LABEL"`)
	}
	releases := openedReleases{tables: map[string]*combine.Table{}}
	for _, arg := range args {
		if err := releases.open(ctx, arg); err != nil {
			return err
		}
	}
	sum, err := releases.terms(ctx, "--sum", f.sum, 1)
	if err != nil {
		return err
	}
	minus, err := releases.terms(ctx, "--minus", f.minus, -1)
	if err != nil {
		return err
	}
	of, err := releases.terms(ctx, "--of", f.of, 1)
	if err != nil {
		return err
	}
	var result combine.Result
	if sum = append(sum, minus...); of == nil {
		result, err = combine.Sum(sum)
	} else {
		result, err = combine.Ratio(sum, of)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printCombined(c, f, &releases, result)
	}
	if !result.Stated {
		return c.Printf("not stated: noise alone could explain the number to divide by\n")
	}
	return c.Printf("%s (95 %%: %s to %s)\n", withError(result.Value, result.Deviation, math.Round),
		withError(result.Low, result.Deviation, math.Floor), withError(result.High, result.Deviation, math.Ceil))
}

func printCombined(c *console.Console, f *combineFlags, releases *openedReleases, r combine.Result) error {
	out := combined{Sum: f.sum, Minus: f.minus, Of: f.of}
	for _, o := range releases.all {
		out.Releases = append(out.Releases, o.digest)
	}
	if r.Stated {
		out.Noisy, out.Deviation, out.Low, out.High = &r.Value, &r.Deviation, &r.Low, &r.High
	}
	return c.PrintJSON(out)
}

// withError formats a number with the digits that its error justifies: it rounds to a power of ten that is at most a
// tenth of the standard deviation.
func withError(x, deviation float64, round func(float64) float64) string {
	const exact = 1e-12 // the relative rounding error of a sum without noise, such as a known total
	if !(deviation > exact*math.Abs(x)) || math.IsInf(deviation, 0) {
		return strconv.FormatFloat(x, 'g', 12, 64)
	}
	exponent := int(math.Floor(math.Log10(deviation))) - 1
	step := math.Pow(10, math.Abs(float64(exponent)))
	if exponent >= 0 {
		return strconv.FormatFloat(round(x/step)*step, 'f', 0, 64)
	}
	return strconv.FormatFloat(round(x*step)/step, 'f', -exponent, 64)
}

// openedReleases are the releases that the arguments name, and their tables, by RELEASE:TABLE.
type openedReleases struct {
	all    []openedRelease
	tables map[string]*combine.Table
}

type openedRelease struct {
	name, dir, digest string
	manifest          *manifest.Manifest
}

var releaseName = regexp.MustCompile(`^([A-Za-z0-9_.-]+)=(.+)$`)

// open opens the release of an argument DIR or NAME=DIR.
func (r *openedReleases) open(ctx context.Context, arg string) error {
	o := openedRelease{dir: arg}
	if m := releaseName.FindStringSubmatch(arg); m != nil {
		if _, err := os.Stat(arg); err != nil {
			o.name, o.dir = m[1], m[2]
		}
	}
	if slices.ContainsFunc(r.all, func(other openedRelease) bool { return other.name == o.name }) {
		if o.name == "" {
			return console.Usagef("name the releases if there are several: jan=out/2025-01 feb=out/2025-02")
		}
		return console.Usagef("two releases are named %s", o.name)
	}
	found, err := openRelease(ctx, o.dir)
	if err != nil {
		return err
	}
	found.name = o.name
	r.all = append(r.all, *found)
	return nil
}

// terms reads the cells that the values of a flag select. It multiplies their weights by sign.
func (r *openedReleases) terms(ctx context.Context, flag string, texts []string, sign float64) ([]combine.Term, error) {
	var out []combine.Term
	for _, text := range texts {
		s, err := combine.Parse(text)
		if err != nil {
			return nil, console.Usagef("%s: %v", flag, err)
		}
		t, err := r.table(ctx, s)
		if err != nil {
			return nil, err
		}
		s.Weight *= sign
		term, err := s.In(t)
		if err != nil {
			return nil, console.Usagef("%s: %v", flag, err)
		}
		out = append(out, term)
	}
	return out, nil
}

// table reads the table that a selection names. It reads each table only once.
func (r *openedReleases) table(ctx context.Context, s *combine.Selection) (*combine.Table, error) {
	i := slices.IndexFunc(r.all, func(o openedRelease) bool { return o.name == s.Release })
	if i < 0 {
		var names []string
		for _, o := range r.all {
			names = append(names, o.name+":"+s.Table)
		}
		return nil, console.Usagef("%s: name a release that was opened: %s", s, strings.Join(names, ", "))
	}
	id := s.Release + ":" + s.Table
	if t := r.tables[id]; t != nil {
		return t, nil
	}
	o := &r.all[i]
	q, holds := o.find(s.Table)
	if q == nil {
		return nil, console.Usagef("%s: choose a table of %s", s, strings.Join(tableNames(o.manifest), ", "))
	}
	t, err := combine.Open(ctx, o.dir, o.digest, o.manifest, q, holds)
	r.tables[id] = t
	return t, err
}

// find returns the query whose table has a name, and what that table holds; nil if there is no such table.
func (o *openedRelease) find(table string) (q *manifest.Query, holds string) {
	for i := range o.manifest.Queries {
		for _, holds := range tablesIn(&o.manifest.Queries[i]) {
			if strings.TrimSuffix(o.manifest.Queries[i].Name+"."+holds, ".") == table {
				return &o.manifest.Queries[i], holds
			}
		}
	}
	return nil, ""
}

// openRelease opens the release in dir. It fails if a file differs from the manifest.
func openRelease(ctx context.Context, dir string) (*openedRelease, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, console.Usagef("the folder: %v", err)
	}
	found, err := sink.Examine(ctx, dir)
	switch {
	case err != nil:
		return nil, pipeline.OutputError(err)
	case len(found.Findings) > 0:
		return nil, &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "changed", Message: console.Here(dir) +
				" is not the release that was published: " + found.Findings[0],
			Hint: "release verify lists all that was changed; restore the folder from a copy",
		}
	}
	return &openedRelease{dir: dir, digest: found.Digest, manifest: found.Manifest}, nil
}
