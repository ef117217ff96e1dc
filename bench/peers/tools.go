package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tool is one of the programs that are compared.
type tool struct {
	name  string // name on the page
	short string // name on the command line and in file names
	// command makes the tool's environment, if it does not exist, and returns the command that runs the tool's script.
	// The caller adds arguments.
	command func(context.Context, *config, *tool) ([]string, error)

	once    sync.Once
	args    []string
	about   description
	problem error
}

// description is the output of a tool's describe.
type description struct {
	Version string `json:"version"`
	Tasks   map[string]struct {
		Lines int    `json:"lines"`
		Given string `json:"given"`
	} `json:"tasks"`
	Refused map[string]string `json:"refused"`
}

var tools = []*tool{
	{name: "dprelease", short: "ours", command: ours},
	{name: "OpenDP", short: "opendp", command: venv},
	{name: "Tumult Analytics", short: "tumult", command: venv},
	{name: "PipelineDP", short: "pipelinedp", command: venv},
	{name: "Google, python-dp", short: "pythondp", command: venv},
	{name: "Google, Go", short: "google", command: googleGo},
	{name: "SmartNoise SQL", short: "smartnoise", command: venv},
	{name: "diffprivlib", short: "diffprivlib", command: venv},
	{name: "mbi", short: "mbi", command: venv},
}

func toolNames() (names []string) {
	for _, t := range tools {
		names = append(names, t.short)
	}
	return names
}

func toolNamed(short string) (*tool, error) {
	for _, t := range tools {
		if t.short == short {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no tool %q; there are %s", short, strings.Join(toolNames(), ", "))
}

// scripts returns the folder of the tools' scripts. It fails unless the program was started by go run in the module.
func scripts() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/dprelease/dprelease/bench/peers").Output()
	if err != nil {
		return "", fmt.Errorf("the command needs its source tree: run it in the folder bench with go run ./peers")
	}
	return filepath.Join(strings.TrimSpace(string(out)), "python"), nil
}

// venv makes a virtual environment with the packages in the tool's list. It makes a new one if the list changes.
func venv(ctx context.Context, c *config, t *tool) ([]string, error) {
	dir, err := scripts()
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "requirements-"+t.short+".txt")
	want, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	env := filepath.Join(c.dir, "venv", t.short)
	python, made := filepath.Join(env, "bin", "python"), filepath.Join(env, "made-from.txt")
	if have, err := os.ReadFile(made); err != nil || !bytes.Equal(have, want) {
		if err := command(ctx, "python3", "-m", "venv", "--clear", env); err != nil {
			return nil, err
		}
		if err := command(ctx, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", list); err != nil {
			return nil, err
		}
		if err := os.WriteFile(made, want, 0o644); err != nil {
			return nil, err
		}
	}
	return []string{python, filepath.Join(dir, t.short+"_tasks.py")}, nil
}

// googleGo builds the program with Google's Go library, which is a module of its own.
func googleGo(ctx context.Context, c *config, t *tool) ([]string, error) {
	dir, err := scripts()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "..", "google")
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	if c.google != "" {
		checkout, err := filepath.Abs(c.google)
		if err != nil {
			return nil, err
		}
		mod = fmt.Appendf(mod, "\nreplace %s => %s\n", googleModule, filepath.Join(checkout, "go"))
	}
	// A copy of go.mod keeps the build from writing checksums into the source tree.
	list, program := filepath.Join(c.dir, "google.mod"), filepath.Join(c.dir, "google-go")
	if err := os.WriteFile(list, mod, 0o644); err != nil {
		return nil, err
	}
	args := []string{"build", "-trimpath", "-o", program, "-mod=mod", "-modfile", list}
	build := exec.CommandContext(ctx, "go", append(args, ".")...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("its Go module cannot be built: %s", lastLine(string(out)))
	}
	return []string{program}, nil
}

// googleModule is the path of Google's library.
const googleModule = "github.com/google/differential-privacy/go/v4"

// ours builds the program, and makes a virtual environment for the script that runs it and reads its tables.
func ours(ctx context.Context, c *config, t *tool) ([]string, error) {
	dir, err := scripts()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(c.dir, "release")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./cmd/release")
	build.Dir = filepath.Join(dir, "..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the program: %s", out)
	}
	if err := os.Setenv("DPRELEASE_PROGRAM", program); err != nil {
		return nil, err
	}
	return venv(ctx, c, t)
}

func command(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, out)
	}
	return nil
}

// prepare makes the tool's environment and asks for its description.
func (t *tool) prepare(ctx context.Context, c *config) error {
	t.once.Do(func() {
		if t.args, t.problem = t.command(ctx, c, t); t.problem != nil {
			return
		}
		out, err := exec.CommandContext(ctx, t.args[0], append(t.args[1:], "describe")...).Output()
		if err == nil {
			err = json.Unmarshal(out, &t.about)
		}
		if err != nil {
			t.problem = fmt.Errorf("%s does not describe itself: %w", t.name, err)
		}
	})
	return t.problem
}

// answer runs a task with the tool, and compares its answers with the exact ones. If the tool fails, the failure is the
// result.
func (t *tool) answer(ctx context.Context, c *config, work *task, exact truth) ([]*result, error) {
	without := func(reason string) []*result {
		return []*result{{Task: work.name, Tool: t.name, Version: t.about.Version, Reason: reason}}
	}
	if err := t.prepare(ctx, c); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintln(os.Stderr, "peers:", err)
		return without("its environment cannot be made here: " + first), nil
	}
	about, ok := t.about.Tasks[work.name]
	if !ok {
		return without(t.about.Refused[work.name]), nil
	}
	dir, err := filepath.Abs(c.dir) // absolute, since the process works in another folder
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(dir, "answers-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	runs := c.runs
	if work.timeOnly {
		runs = 3
	}
	p := process{args: append(t.args[:len(t.args):len(t.args)], work.name,
		filepath.Join(dir, "tables", work.name+".parquet"), strconv.Itoa(runs), out), dir: out, limit: c.limit}
	if err := p.run(ctx); err != nil {
		return without(err.Error()), nil
	}
	var results []*result
	for asked, cells := range exact {
		r := &result{Task: work.name, Asked: asked, Tool: t.name, Version: t.about.Version, Lines: about.Lines,
			Given: about.Given, Runs: len(p.times), Rows: c.rows}
		r.FirstSeconds, r.Seconds, r.PeakMB = p.seconds()
		if !work.timeOnly {
			r.Rows = 0
			if err := r.compare(filepath.Join(out, asked), cells, len(p.times)); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.name, work.name, err)
			}
		}
		results = append(results, r)
	}
	return results, nil
}

// process is a running tool. It writes a line after each answer.
type process struct {
	args  []string
	dir   string // the working folder, which catches files that a library leaves behind
	limit time.Duration

	times []time.Duration // the time of each answer, from the start
	peak  float64         // largest memory of the process and its children together, in MB
}

// patience is the factor by which the first answer may exceed the time limit.
const patience = 10

func (p *process) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience*p.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir, cmd.WaitDelay = p.dir, 10*time.Second
	lead(cmd)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan float64)
	stop := make(chan struct{})
	go func() { done <- watch(cmd.Process.Pid, stop) }()
	stopped := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() != "answered" {
			continue // a line that a library printed
		}
		p.times = append(p.times, time.Since(begin))
		if p.times[len(p.times)-1] > p.limit {
			stopped = true
			break
		}
	}
	if stopped {
		_ = cmd.Cancel()
	}
	err = cmd.Wait()
	close(stop)
	p.peak = <-done
	if len(p.times) == 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("no answer within %s", patience*p.limit)
		}
		return fmt.Errorf("it fails: %s", lastLine(problems.String()))
	}
	if err != nil && !stopped && ctx.Err() == nil {
		return fmt.Errorf("it fails after %d answers: %s", len(p.times), lastLine(problems.String()))
	}
	return nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// seconds returns the time of the first answer, including the start of the process, the median time of the later
// answers, and the peak of memory in MB.
func (p *process) seconds() (first, each, peak float64) {
	var later []float64
	for i := 1; i < len(p.times); i++ {
		later = append(later, (p.times[i] - p.times[i-1]).Seconds())
	}
	if len(later) > 0 {
		each = round(median(later), 4)
	}
	return round(p.times[0].Seconds(), 3), each, round(p.peak, 1)
}
