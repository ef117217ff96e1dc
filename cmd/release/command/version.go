package command

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/internal/runjob"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.Printf("dprelease %s %s %s/%s\n", runjob.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
