package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dprelease/dprelease/report/picture"
)

// The scale of the picture.
const (
	minRatio = 1.0 / 32
	maxRatio = 8.0
)

// marks are the marks of the picture, one for each ratio. They differ in shape and in colour.
var marks = []struct {
	picture.Key
	of func(*result) float64
}{
	{picture.Key{Name: "time", Style: picture.Style{Color: picture.Blue, Mark: picture.Circle}},
		func(r *result) float64 { return r.Ratio }},
	{picture.Key{Name: "processor time", Style: picture.Style{Color: picture.Orange, Mark: picture.Diamond}},
		func(r *result) float64 { return r.CPU }},
	{picture.Key{Name: "memory", Style: picture.Style{Color: picture.Black, Mark: picture.Cross}},
		func(r *result) float64 { return r.OursMB / r.DuckMB }},
}

// figureOf draws the results with the most threads: for each query the ratio of our time, CPU time and memory to
// DuckDB's, on a logarithmic scale.
func figureOf(all []*result) (*picture.Figure, error) {
	threads := 0
	for _, r := range all {
		threads = max(threads, r.Threads)
	}
	if threads == 0 {
		return nil, errors.New("there are no results to draw")
	}
	rows := picture.Rows{X: picture.Axis{Log: true, From: minRatio, To: maxRatio}}
	for ratio := minRatio; ratio <= maxRatio; ratio *= 2 {
		label := fmt.Sprint(ratio)
		if ratio < 1 {
			label = fmt.Sprintf("1/%g", 1/ratio)
		}
		rows.X.Ticks = append(rows.X.Ticks, picture.Tick{Value: ratio, Label: label})
	}
	f := &picture.Figure{}
	for _, m := range marks {
		rows.Marks = append(rows.Marks, picture.RowMarks{Style: m.Style})
		f.Keys = append(f.Keys, m.Key)
	}
	var tableRows int64
	for _, r := range all {
		if r.Threads != threads {
			continue
		}
		tableRows = int64(r.Rows)
		rows.Names = append(rows.Names, r.Query)
		for i, m := range marks {
			rows.Marks[i].Values = append(rows.Marks[i].Values, m.of(r))
		}
	}
	f.Title = fmt.Sprintf("What dprelease takes of what DuckDB takes: %d rows, %d threads", tableRows, threads)
	f.Width, f.Height, f.Panels = 20, 1.8+0.45*float64(len(rows.Names)), []picture.Panel{rows}
	return f, nil
}

// drawTo draws results into a file, in the format of its extension.
func drawTo(path string, results []*result) error {
	figure, err := figureOf(results)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(figure.Write(f, strings.TrimPrefix(filepath.Ext(path), ".")), f.Close())
}

// readResults reads the results of an earlier run.
func readResults(path string) ([]*result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var results []*result
	for lines := bufio.NewScanner(f); lines.Scan(); {
		r := &result{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return nil, fmt.Errorf("%s is not of this command", path)
		}
		results = append(results, r)
	}
	return results, nil
}

// writeTable writes the results as a table in Markdown.
func writeTable(w io.Writer, results []*result) error {
	out := bufio.NewWriter(w)
	head, line := "| question | threads | ours s | DuckDB s | ratio | ours CPU s | DuckDB CPU s | ratio | ours MB | DuckDB MB |",
		"|---|---|---|---|---|---|---|---|---|---|"
	if len(results) > 0 && results[0].Wheel != nil {
		v := results[0].Wheel.Version
		head, line = head+fmt.Sprintf(" %s s | %s CPU s | %s MB |", v, v, v), line+"---|---|---|"
	}
	fmt.Fprintln(out, head)
	fmt.Fprintln(out, line)
	for _, r := range results {
		fmt.Fprintf(out, "| %s | %d | %.3f | %.3f | %.2f | %.3f | %.3f | %.2f | %.0f | %.0f |",
			r.Query, r.Threads, r.Ours, r.DuckDB, r.Ratio, r.OursCPU, r.DuckCPU, r.CPU, r.OursMB, r.DuckMB)
		if r.Wheel != nil {
			fmt.Fprintf(out, " %.3f | %.3f | %.0f |", r.Wheel.Seconds, r.Wheel.CPU, r.Wheel.MB)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
