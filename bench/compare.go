package main

import (
	"bufio"
	"context"
	_ "embed" // the Python program
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
)

// result is one line of the output. Seconds are medians: elapsed time, and CPU time in user and system mode. Memory is
// the largest resident set of the process, in MB. Ratios are to the faster DuckDB, if two of them are measured.
type result struct {
	Query   string  `json:"query"`
	Rows    int     `json:"rows"`
	Threads int     `json:"threads"`
	Ours    float64 `json:"ours_s"`
	DuckDB  float64 `json:"duckdb_s"`
	Ratio   float64 `json:"ratio"`
	OursCPU float64 `json:"ours_cpu_s"`
	DuckCPU float64 `json:"duckdb_cpu_s"`
	CPU     float64 `json:"cpu_ratio"`
	OursMB  float64 `json:"ours_rss_mb"`
	DuckMB  float64 `json:"duckdb_rss_mb"`
	Wheel   *wheel  `json:"wheel,omitempty"`
}

// wheel is what a query takes the DuckDB of a Python package.
type wheel struct {
	Version string  `json:"version"`
	Seconds float64 `json:"s"`
	CPU     float64 `json:"cpu_s"`
	MB      float64 `json:"rss_mb"`
}

// compare runs a query on all engines, one run of each in turn.
func compare(ctx context.Context, c *config, t tables, query string, threads int) (*result, error) {
	engines := []string{"ours", "duckdb"}
	if c.python != "" {
		engines = append(engines, "wheel")
	}
	peers := make([]*peer, len(engines))
	for i, engine := range engines {
		cmd, err := commandOf(ctx, c, t, engine, query, strconv.Itoa(threads))
		if err != nil {
			return nil, err
		}
		p, err := start(cmd)
		if err != nil {
			return nil, err
		}
		defer p.stop()
		peers[i] = p
	}
	times, cpu := make([][]float64, len(peers)), make([][]float64, len(peers))
	for run := range c.runs + 1 {
		for i, p := range peers {
			r, err := p.run()
			if err != nil {
				return nil, fmt.Errorf("%s, %s, %d threads: %w", query, engines[i], threads, err)
			}
			if run > 0 {
				times[i], cpu[i] = append(times[i], r.Seconds), append(cpu[i], r.CPU)
			}
		}
	}
	ours, duck := median(times[0]), median(times[1])
	oursCPU, duckCPU := median(cpu[0]), median(cpu[1])
	r := &result{
		Query: query, Rows: c.rows, Threads: threads, Ours: round(ours, 5), DuckDB: round(duck, 5),
		OursCPU: round(oursCPU, 4), DuckCPU: round(duckCPU, 4), OursMB: round(peers[0].rss, 1), DuckMB: round(peers[1].rss, 1),
	}
	if len(peers) > 2 {
		seconds, used := median(times[2]), median(cpu[2])
		r.Wheel = &wheel{peers[2].version, round(seconds, 5), round(used, 4), round(peers[2].rss, 1)}
		duck, duckCPU = min(duck, seconds), min(duckCPU, used)
	}
	r.Ratio, r.CPU = round(ours/duck, 3), round(oursCPU/duckCPU, 3)
	return r, nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// peer is a process that answers one query each time it gets a line on standard input.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	rss float64 // largest resident set so far, in MB
	// version is the version of the Python package; "" for the engines of this program.
	version string
}

// report is the output of a peer after each run.
type report struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_s"`
	RSS     float64 `json:"rss_mb"`
	Version string  `json:"version,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// wheelScript is the program of the peer that is a Python package.
//
//go:embed wheel.py
var wheelScript string

// commandOf returns the command that starts the process of an engine.
func commandOf(ctx context.Context, c *config, t tables, engine, query, threads string) (*exec.Cmd, error) {
	if engine == "wheel" {
		return exec.CommandContext(ctx, c.python, "-c", wheelScript, statementOf(query, t), threads), nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-engine", engine, "-queries", query, "-threads", threads,
		"-rows", strconv.Itoa(c.rows), "-dir", c.dir)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+threads)
	return cmd, nil
}

func start(cmd *exec.Cmd) (*peer, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{cmd: cmd, in: in, out: bufio.NewScanner(out)}, cmd.Start()
}

// run makes the peer answer its query once, and returns the peer's report.
func (p *peer) run() (report, error) {
	var r report
	if _, err := io.WriteString(p.in, "run\n"); err != nil {
		return r, err
	}
	if !p.out.Scan() {
		return r, fmt.Errorf("the process ended")
	}
	if err := json.Unmarshal(p.out.Bytes(), &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		return r, fmt.Errorf("%s", r.Error)
	}
	p.rss, p.version = r.RSS, r.Version
	return r, nil
}

func (p *peer) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
