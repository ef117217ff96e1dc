// Package setuptest installs engines for tests, and runs their servers.
package setuptest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// installing lets only one installation run at a time.
var installing sync.Mutex

// Install returns the folder of an engine in the user's cache directory. If the folder does not exist, install fills
// it. So an engine is installed once, for all tests and all later runs.
func Install(name string, install func(dir string) error) (dir string, err error) {
	installing.Lock()
	defer installing.Unlock()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, "dprelease", name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(part) }() // no harm: leftover files are not used
	if err := install(part); err != nil {
		return "", err
	}
	if err := os.Rename(part, dir); err != nil && !errors.Is(err, os.ErrExist) { // another process was faster
		return "", err
	}
	return dir, nil
}

// Pip installs a version of a PyPI package in a folder, without the packages on which it depends.
func Pip(dir, name, version string) error {
	return run(dir, "python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", dir, name+"=="+version)
}

// Maven runs a goal of Maven's dependency plugin in a folder, such as copy or unpack.
func Maven(dir, goal string, arguments ...string) error {
	return run(dir, "mvn", append([]string{"-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:" + goal},
		arguments...)...)
}

func run(dir, program string, arguments ...string) error {
	c := exec.Command(program, arguments...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.300s", program, err, out)
	}
	return nil
}
