package command

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

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
	commit, dirty := "devel", false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = "devel-" + s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if commit != "devel" && dirty {
		commit += "+dirty"
	}
	return commit
}

// build names this build of the program: partial aggregates are read by the build that wrote them. Two builds from a
// clone can have one version, so the digest of the executable is added unless the version is one commit's.
var build = sync.OnceValue(func() string { return buildName(version(), executableDigest()) })

func buildName(version, digest string) string {
	if version != "devel" && version != "unknown" && !strings.HasSuffix(version, "+dirty") {
		return version
	}
	return version + " " + digest
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
