package main

import (
	"bufio"
	"context"
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
// the largest resident set of the process, in MB.
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
}

// compare runs a query on both engines, one run of each in turn.
func compare(ctx context.Context, c *config, query string, threads int) (*result, error) {
	engines := []string{"ours", "duckdb"}
	peers := make([]*peer, len(engines))
	for i, engine := range engines {
		p, err := start(ctx, config{rows: c.rows, dir: c.dir, queries: query, threads: strconv.Itoa(threads), engine: engine})
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
	return &result{
		Query: query, Rows: c.rows, Threads: threads, Ours: round(ours, 5), DuckDB: round(duck, 5), Ratio: round(ours/duck,
			3),
		OursCPU: round(oursCPU, 4), DuckCPU: round(duckCPU, 4), CPU: round(oursCPU/duckCPU, 3),
		OursMB: round(peers[0].rss, 1), DuckMB: round(peers[1].rss, 1),
	}, nil
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
}

// report is the output of a peer after each run.
type report struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_s"`
	RSS     float64 `json:"rss_mb"`
	Error   string  `json:"error,omitempty"`
}

func start(ctx context.Context, c config) (*peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-engine", c.engine, "-queries", c.queries, "-threads", c.threads,
		"-rows", strconv.Itoa(c.rows), "-dir", c.dir)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+c.threads)
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
	p.rss = r.RSS
	return r, nil
}

func (p *peer) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
