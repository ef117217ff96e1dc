package command

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report"
)

const reportLong = `report writes the page and the descriptions of a published release whose job says output.report:
false into a folder of their own. The release itself is never changed: its files are compared with the manifest first,
and the new ones lie beside it, in DIR.report, or in the folder that --out names, which is new, empty or holds an
earlier report. They are made of the noisy values and cost no budget; the manifest does not vouch for them.

With --job the maps of queries by nearest points have their places, which come from the public files of the job.`

func reportCommand(c *console.Console) *cobra.Command {
	var out, job string
	flags := jobs.Flags{}
	cmd := &cobra.Command{
		Use: "report DIR", Short: "Write the page of a release that has none", Long: reportLong, Args: cobra.ExactArgs(1),
		Example: "  release report out\n  release report out --out page --job job.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeReport(cmd.Context(), c, args[0], out, job, &flags)
		},
	}
	flags.AddParams(cmd)
	cmd.Flags().StringVar(&out, "out", "", "the folder to write into, instead of DIR.report")
	cmd.Flags().StringVar(&job, "job", "", "the job of the release, for the places of its points")
	return cmd
}

func writeReport(ctx context.Context, c *console.Console, dir, out, job string, flags *jobs.Flags) error {
	o, tables, err := readRelease(ctx, c, dir, job, flags)
	if err != nil {
		return err
	}
	out = cmp.Or(out, o.dir+".report")
	if _, err := os.Lstat(filepath.Join(out, manifest.FileName)); err == nil {
		return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "occupied", Message: console.Here(out) +
			" holds a release, which is never changed", Hint: "choose another folder with --out"}
	}
	documents := report.Documents(o.manifest, tables)
	if err := onlyReport(out, documents); err != nil {
		return err
	}
	if err := writeDocuments(out, documents); err != nil {
		return console.WriteError(out, err)
	}
	if c.Quiet {
		return nil
	}
	return c.Printf("%s\n", console.Here(filepath.Join(out, report.IndexName)))
}

// onlyReport returns an error if a folder holds anything but an earlier report: a file that no report has, or files
// without the page, which is written first.
func onlyReport(dir string, documents []pipeline.Document) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return console.WriteError(dir, err)
	}
	names := map[string]bool{}
	for _, d := range documents {
		names[d.Path] = true
	}
	foreign := func(e os.DirEntry) bool { return !names[e.Name()] }
	isPage := func(e os.DirEntry) bool { return e.Name() == report.IndexName }
	if slices.ContainsFunc(entries, isPage) && !slices.ContainsFunc(entries, foreign) {
		return nil
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "occupied", Message: console.Here(dir) +
		" holds files that release report did not write", Hint: "choose a new or empty folder with --out"}
}

// writeDocuments writes the files of a report into a folder, and replaces the files of an earlier report.
func writeDocuments(dir string, documents []pipeline.Document) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := regular.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, d := range documents {
		f, err := root.OpenFile(d.Path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		if err := errors.Join(d.Write(f), f.Close()); err != nil {
			_ = root.Remove(d.Path) // the file is incomplete
			return err
		}
	}
	return nil
}

// readRelease compares the files of a release folder with the manifest, and reads all of them.
func readRelease(ctx context.Context, c *console.Console, dir, job string, flags *jobs.Flags) (*openedRelease,
	[]*report.Table, error) {
	o, err := openRelease(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	places, err := placesOf(ctx, c, job, flags)
	if err != nil {
		return nil, nil, err
	}
	var tables []*report.Table
	for i := range o.manifest.Queries {
		q := &o.manifest.Queries[i]
		for _, holds := range tablesIn(q) {
			t, err := sink.ReadTable(ctx, o.dir, q, holds)
			if err != nil {
				return nil, nil, pipeline.OutputError(err)
			}
			table := report.HeldTable(q.Name, holds, t.Rows, t.Keys, t.Names, t.Values)
			if holds == "" {
				table.Places = places[q.Name]
			}
			tables = append(tables, table)
		}
	}
	return o, tables, nil
}

// tablesIn lists the kinds of tables in a query's files, each once: "" for the answer, and names such as quantiles.
func tablesIn(q *manifest.Query) []string {
	var out []string
	for _, f := range q.Files {
		if !slices.Contains(out, f.Holds) {
			out = append(out, f.Holds)
		}
	}
	return out
}

// placesOf returns the public points of the queries' nearest dimensions, by query; none if there is no job file.
func placesOf(ctx context.Context, c *console.Console, job string, flags *jobs.Flags) (map[string]*pipeline.Places,
	error) {
	places := map[string]*pipeline.Places{}
	if job == "" {
		return places, nil
	}
	plan, err := flags.Load(ctx, c, job)
	if err != nil {
		return nil, err
	}
	queries := plan.Queries()
	for i := range queries {
		places[queries[i].Query.Name()] = queries[i].Places()
	}
	return places, nil
}
