package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs the program with a terminal as stderr and returns its output there.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	written := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		written <- string(text)
	}()
	if code := execute(t.Context(), args, io.Discard, terminal); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	_ = terminal.Close()
	return <-written
}

// On a terminal a run shows the duration of its stages, with rows and their rate; without colours, and not with
// --quiet, --log json or a terminal that cannot move its cursor.
func TestProgressOnATerminal(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "in.csv"), "u\n"+strings.Repeat("1\n", 1234))
	const job = `
version: 1
name: total
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [in.csv]}
queries: [{name: total, count: {}}]
output: {dir: NAME}
ledger: {store: "sqlite:ledger.db", dataset: total, budget: {epsilon: 9, delta: 1e-4}}
`
	for name, c := range map[string]struct {
		flags []string
		term  string
		shown bool
	}{
		"auto": {nil, "xterm", true}, "quiet": {[]string{"--quiet"}, "xterm", false}, "json": {[]string{"--log", "json"},
			"xterm", false}, "dumb": {nil, "dumb", false},
	} {
		t.Setenv("TERM", c.term)
		put(t, filepath.Join(dir, name+".yaml"), strings.Replace(job, "NAME", name, 1))
		text := onTerminal(t, append([]string{"run", filepath.Join(dir, name+".yaml"), "--new-release"}, c.flags...)...)
		if shown := regexp.MustCompile(`(?m)^aggregate +[0-9].* 1,234 rows, .*/s`).MatchString(text); shown != c.shown {
			t.Errorf("%s: shown: %t\n%s", name, shown, text)
		}
		if regexp.MustCompile(`\x1b\[[0-9;]*m`).MatchString(text) {
			t.Errorf("%s: colour", name)
		}
	}
}

// On a terminal a run shows its data checks; not with --data-checks=off, --quiet or --log json.
func TestDataChecksOnATerminal(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "in.csv"), "u,day\n1,03/02/2024\n2,04/02/2024\n")
	const job = `
version: 1
name: days
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [in.csv], csv: {types: {day: date}}}
queries: [{name: months, histogram: {by: [{column: day, part: month}]}}]
output: {dir: NAME}
ledger: {store: "sqlite:ledger.db", dataset: days, budget: {epsilon: 9, delta: 1e-4}}
`
	for name, c := range map[string]struct {
		flags []string
		shown bool
	}{
		"auto": {nil, true}, "off": {[]string{"--data-checks=off"}, false}, "quiet": {[]string{"--quiet"}, false},
		"json": {[]string{"--log", "json"}, false},
	} {
		put(t, filepath.Join(dir, name+".yaml"), strings.Replace(job, "NAME", name, 1))
		text := onTerminal(t, append([]string{"run", filepath.Join(dir, name+".yaml"), "--new-release"}, c.flags...)...)
		if shown := strings.Contains(text, "data-unparsed") && strings.Contains(text, "data checks"); shown != c.shown {
			t.Errorf("%s: shown: %t\n%s", name, shown, text)
		}
	}
}
