package runjob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Program describes this executable. Fields that cannot be determined are empty.
var Program = sync.OnceValue(func() manifest.Program {
	p := manifest.Program{Name: "dprelease", Version: Version(), Go: runtime.Version(), Binary: ExecutableDigest()}
	if info, ok := debug.ReadBuildInfo(); ok {
		modules := sha256.New()
		for _, m := range info.Deps {
			_, _ = fmt.Fprintln(modules, m.Path, m.Version, m.Sum) // a hash takes everything
		}
		p.Modules = hex.EncodeToString(modules.Sum(nil))
		for _, s := range info.Settings {
			// otherwise the commit is the importing program's
			if s.Key == "vcs.revision" && isOurs(info.Main.Path) {
				p.Commit = s.Value
			}
		}
	}
	return p
})

// ExecutableDigest returns the SHA-256 of the running executable; "" if it cannot be read. It reads the whole file,
// which takes time, so tests that start the program hundreds of times replace it.
var ExecutableDigest = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
})

// module is the path of this module.
const module = "github.com/dprelease/dprelease"

// isOurs reports whether a path is of this module or of a module in its tree, such as full.
func isOurs(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// Version returns the version of this module in the running program: a released version, or else "devel-" and the
// commit from which the program was built.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if !isOurs(info.Main.Path) { // the program is another one, which imports this module
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
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

// Build returns a name of this build of the program, since only the build that wrote a partial aggregate can read it.
// Two builds can have the same version, so the name includes the executable's digest unless the version names a commit
// without local changes.
func Build() string { return buildName(Version(), ExecutableDigest) }

func buildName(version string, digest func() string) string {
	if version != "devel" && version != "unknown" && !strings.HasSuffix(version, "+dirty") {
		return version
	}
	return version + " " + digest()
}
