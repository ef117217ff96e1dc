package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/cmd/release/internal/preview"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

const sqlLong = `sql prints the statements that run would send to the database of input.sql, one for each query, for
review. They hold every value that they compare with; there are no parameters. Nothing is spent, and no row is read.

The types of columns decide how they are read. Without --dialect the database of the job is asked for them, if this
program has its driver. With --dialect, and without the driver, nothing is connected, and the types are those that the
job's queries suggest.`

func sqlCommand(c *console.Console) *cobra.Command {
	var flags jobs.Flags
	dialect := ""
	cmd := &cobra.Command{
		Use: "sql JOB", Short: "Print the statements of a job whose input is a table of a database",
		Long: sqlLong, Args: cobra.ExactArgs(1),
		Example: "  release sql job.yaml\n  release sql job.yaml --dialect duckdb",
		RunE: func(cmd *cobra.Command, args []string) error {
			return printStatements(cmd.Context(), c, args[0], &flags, dialect)
		},
	}
	flags.AddParams(cmd)
	cmd.Flags().StringVar(&dialect, "dialect", "",
		"write for this engine instead of the job's: "+strings.Join(sqlpush.Dialects(), ", "))
	return cmd
}

func printStatements(ctx context.Context, c *console.Console, path string, flags *jobs.Flags, dialect string) error {
	if dialect != "" && !slices.Contains(sqlpush.Dialects(), dialect) {
		return console.Usagef("--dialect %q: there are %s", dialect, strings.Join(sqlpush.Dialects(), ", "))
	}
	plan, err := flags.Load(ctx, c, path)
	if err != nil {
		return err
	}
	if plan.Job().Input.SQL == nil {
		return console.Usagef("the job's input is files: only a job with input.sql has statements")
	}
	d, types, err := openStatements(ctx, plan, dialect)
	if err != nil {
		return err
	}
	defer d.Close()
	if diags := plan.CheckWith(sqlpush.New(d, nil)); len(diags) > 0 {
		return diags
	}
	all, err := d.Statements(plan)
	if err != nil {
		return pipeline.InputError(err)
	}
	return c.Print(statementsText(d, types, all))
}

// openStatements returns the database of a plan, for printing its SQL, and a text that tells where the columns' types
// come from.
func openStatements(ctx context.Context, plan *pipeline.Plan, dialect string) (*sqlpush.Database, string, error) {
	source := runjob.DatabaseOf(plan.Job())
	if dialect == "" && sqlpush.HasDriver(source.Driver) {
		d, err := sqlpush.Open(ctx, source)
		return d, "the database", err
	}
	if dialect != "" {
		source.Driver = dialect
	}
	schema, err := preview.Assumed(ctx, plan)
	if err != nil {
		return nil, "", err
	}
	d, err := sqlpush.Assumed(source, schema)
	return d, "what the job asks; the database was not asked", err
}

func statementsText(d *sqlpush.Database, types string, all []sqlpush.Statement) string {
	var b strings.Builder
	b.WriteString("-- The types of columns are from " + types + ".\n")
	for _, s := range d.Settings() {
		b.WriteString(s + ";\n")
	}
	for _, s := range all {
		b.WriteString("\n-- query " + s.Query + "\n" + s.Text + ";\n")
	}
	return b.String()
}
