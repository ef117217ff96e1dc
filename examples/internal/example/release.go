package example

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is the import path of the program release.
const program = "github.com/dprelease/dprelease/cmd/release"

// release runs a job of the example by the program release, and waits until it ends. A signal from the terminal reaches
// both programs, so nothing must stop the program release.
func (p place) release(job string, more []string) error {
	args := []string{"run", filepath.Join(p.dir, job)}
	for _, name := range slices.Sorted(maps.Keys(p.params)) {
		args = append(args, "--param", name+"="+p.params[name])
	}
	args = append(args, more...)
	p.say("$ release %s", strings.Join(args, " "))
	cmd := exec.Command("go", append([]string{"run", program}, args...)...)
	cmd.Stdout, cmd.Stderr = p.stdout, os.Stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("the go command is needed to run %s: %w", program, err)
	}
	if err != nil {
		return errors.New("release run failed, see above")
	}
	return nil
}
