package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
)

func (a *app) schemaCmd() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the job file's JSON Schema", Args: cobra.NoArgs,
		Long: `schema prints the JSON Schema of the job file, for editors and for checks in CI. Editors with a YAML language server complete
and check a job that begins with this line, once the schema is in the file:

  # yaml-language-server: $schema=job.schema.json`,
		Example: "  release schema > job.schema.json",
		RunE:    func(*cobra.Command, []string) error { return a.Print(string(configs.Schema())) },
	}
}

func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write man pages into a folder", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			header := &doc.GenManHeader{Title: "RELEASE", Section: "1", Source: "dprelease"}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return console.WriteError(args[0], err)
			}
			return nil
		},
	}
}
