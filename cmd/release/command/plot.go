package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report"
	"github.com/dprelease/dprelease/report/picture"
)

const plotLong = `plot draws the picture of a query of a published release into a file: SVG, PNG or PDF, by the file's
extension. It is the picture that the page shows: bars or a line with intervals, a heat map, or a map of points.
Quantiles and the like are named after a dot: --query age.quantiles.

With --job a query by nearest points is drawn on a map: their places come from the public files of the job.`

func plotCommand(c *console.Console) *cobra.Command {
	var query, out, job string
	flags := jobs.Flags{}
	cmd := &cobra.Command{
		Use: "plot DIR", Short: "Draw a query of a release into a file", Long: plotLong, Args: cobra.ExactArgs(1),
		Example: "  release plot out --query trips_by_hour --out hours.svg\n  release plot out --query events_by_junction " +
			"--job job.yaml --out map.png",
		RunE: func(cmd *cobra.Command, args []string) error {
			return plot(cmd.Context(), c, args[0], query, out, job, &flags)
		},
	}
	flags.AddParams(cmd)
	cmd.Flags().StringVar(&query, "query", "", "the query to draw; not needed if the release has one")
	cmd.Flags().StringVar(&out, "out", "", "the file to write: .svg, .png or .pdf")
	cmd.Flags().StringVar(&job, "job", "", "the job of the release, for the places of its points")
	return cmd
}

func plot(ctx context.Context, c *console.Console, dir, query, out, job string, flags *jobs.Flags) error {
	if out == "" {
		return console.Usagef("--out: name the file to write: picture.svg, .png or .pdf")
	}
	o, tables, err := readRelease(ctx, c, dir, job, flags)
	if err != nil {
		return err
	}
	m := o.manifest
	query, holds, _ := strings.Cut(query, ".")
	if query == "" && len(m.Queries) == 1 {
		query = m.Queries[0].Name
	}
	figure, err := report.Figure(m, tables, query, holds)
	if err != nil {
		return console.Usagef("--query: choose one of %s", strings.Join(tableNames(m), ", "))
	}
	return writePicture(c, out, figure)
}

func tableNames(m *manifest.Manifest) []string {
	var names []string
	for i := range m.Queries {
		for _, holds := range tablesIn(&m.Queries[i]) {
			names = append(names, strings.TrimSuffix(m.Queries[i].Name+"."+holds, "."))
		}
	}
	return names
}

// writePicture draws a figure into a file, in the format of its extension. It warns of letters that the format lacks.
func writePicture(c *console.Console, path string, f *picture.Figure) error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if format != "svg" && format != "png" && format != "pdf" {
		return console.Usagef("the picture's file %s needs the extension .svg, .png or .pdf", console.Here(path))
	}
	if err := regular.Replace(path, 0o644, func(file *os.File) error { return f.Write(file, format) }); err != nil {
		return console.WriteError(path, err)
	}
	if missing := f.Missing(); missing != "" && format != "svg" {
		c.Warn(console.Fill("%s has no letters for %s, which are left blank: an .svg has them", console.Here(path), missing))
	}
	return nil
}
