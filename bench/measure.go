package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// engine answers one query from files, which it opens again for each answer.
type engine interface {
	answer(ctx context.Context) error
	close() error
}

// measure answers one query for each line of standard input.
func measure(ctx context.Context, c *config, t tables) error {
	threads, err := strconv.Atoi(c.threads)
	if err != nil {
		return err
	}
	e, err := newEngine(c.engine, c.queries, threads, t)
	if err != nil {
		return err
	}
	defer func() { _ = e.close() }()
	encoder := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r report
		begin, used := time.Now(), processor()
		if err := e.answer(ctx); err != nil {
			r.Error = err.Error()
		}
		r.Seconds, r.CPU = time.Since(begin).Seconds(), processor()-used
		r.RSS = peak()
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// profile runs a query on our engine -runs times, with the first number in -threads.
func profile(ctx context.Context, c *config, t tables) error {
	count, _, _ := strings.Cut(c.threads, ",")
	threads, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(threads)
	e, err := newOurs(c.queries, threads, t)
	if err != nil {
		return err
	}
	out, err := os.Create(c.profile)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return errors.Join(err, out.Close())
	}
	used := processor()
	for range c.runs {
		err = errors.Join(err, e.answer(ctx))
	}
	pprof.StopCPUProfile()
	fmt.Fprintf(os.Stderr, "%.3f s of the processor for %d answers, at most %.0f MB\n", processor()-used, c.runs, peak())
	return errors.Join(err, out.Close())
}

func newEngine(name, query string, threads int, t tables) (engine, error) {
	switch name {
	case "ours":
		return newOurs(query, threads, t)
	case "duckdb":
		return newDuck(query, threads, t)
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// processor returns the CPU time of this process so far, in seconds of user and system mode.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peak returns the largest resident set of this process in MB; 0 if the system does not report it.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if text, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kb, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(text)), "kB")), 64)
			return kb * 1024 / 1e6
		}
	}
	return 0
}
