package command

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version, and which stores, databases and engines it has",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	engines := []string{"local", "sql"}
	for _, v := range a.added {
		engines = append(engines, v.Name+" "+v.Version)
	}
	return a.Printf("dprelease %s %s %s/%s\nstores: %s\ndatabases: %s\nengines: %s\n", runjob.Version(),
		runtime.Version(),
		runtime.GOOS, runtime.GOARCH, strings.Join(store.Registered(), ", "), strings.Join(sqlpush.Drivers(), ", "),
		strings.Join(engines, ", "))
}
