package command

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

// version is the module's version if the binary was installed by one, else the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value
		}
	}
	return "devel"
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version, and which stores, databases and engines it has", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			engines := []string{"local", "sql"}
			for _, v := range a.added {
				engines = append(engines, v.Name+" "+v.Version)
			}
			return a.Printf("dprelease %s %s %s/%s\nstores: %s\ndatabases: %s\nengines: %s\n", version(), runtime.Version(),
				runtime.GOOS, runtime.GOARCH, strings.Join(store.Registered(), ", "), strings.Join(sqlpush.Drivers(), ", "),
				strings.Join(engines, ", "))
		},
	}
}
