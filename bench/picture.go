package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// The picture of the results: for each question how much of DuckDB's time, processor time and memory ours takes, on a
// logarithmic scale. The three marks differ in shape and in colour, which are of Okabe and Ito's palette for all kinds
// of sight.

const (
	pictureLabel = 190.0 // width of the questions' names
	pictureWidth = 560.0 // of the scale
	pictureRow   = 17.0
	pictureTop   = 58.0
	leastRatio   = 1.0 / 32
	mostRatio    = 8.0
)

// mark is how a ratio is drawn.
type mark struct {
	name, colour string
	of           func(*result) float64
	shape        func(w io.Writer, x, y float64, colour string)
}

var marks = []mark{
	{"time", "#0072B2", func(r *result) float64 { return r.Ratio }, func(w io.Writer, x, y float64, colour string) {
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>`, x, y, colour)
	}},
	{"processor time", "#E69F00", func(r *result) float64 { return r.CPU },
		func(w io.Writer, x, y float64, colour string) {
			fmt.Fprintf(w, `<path d="M%.1f %.1fl5 5l-5 5l-5 -5z" fill="none" stroke="%s" stroke-width="2"/>`, x, y-5, colour)
		}},
	{"memory", "#555555", func(r *result) float64 { return r.OursMB / r.DuckMB },
		func(w io.Writer, x, y float64, colour string) {
			fmt.Fprintf(w, `<path d="M%.1f %.1fv10" stroke="%s" stroke-width="2"/>`, x, y-5, colour)
		}},
}

// place returns where a ratio is on the scale.
func place(ratio float64) float64 {
	ratio = min(max(ratio, leastRatio), mostRatio)
	return pictureLabel + pictureWidth*math.Log(ratio/leastRatio)/math.Log(mostRatio/leastRatio)
}

// draw writes the picture of results, of which it takes those of the most threads, as SVG.
func draw(w io.Writer, all []*result) error {
	threads := 0
	for _, r := range all {
		threads = max(threads, r.Threads)
	}
	var results []*result
	for _, r := range all {
		if r.Threads == threads {
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		return fmt.Errorf("there are no results to draw")
	}
	out := bufio.NewWriter(w)
	height := pictureTop + pictureRow*float64(len(results)) + 10
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", pictureLabel+pictureWidth+30, height)
	fmt.Fprintf(out, `<title>What each question takes, of what DuckDB takes</title><rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	fmt.Fprintf(out, `<text x="8" y="18" font-size="13">Of what DuckDB takes, %d rows, %d threads:</text>`+"\n",
		results[0].Rows, threads)
	for i, m := range marks {
		x := 380 + 120*float64(i)
		m.shape(out, x, 14, m.colour)
		fmt.Fprintf(out, `<text x="%.0f" y="18">%s</text>`+"\n", x+10, m.name)
	}
	for ratio := leastRatio; ratio <= mostRatio; ratio *= 2 {
		x, colour, thick := place(ratio), "#ddd", 1
		if ratio == 1 {
			colour, thick = "#000", 2
		}
		label := fmt.Sprint(ratio)
		if ratio < 1 {
			label = fmt.Sprintf("1/%g", 1/ratio)
		}
		fmt.Fprintf(out, `<path d="M%.1f %.0fV%.0f" stroke="%s" stroke-width="%d"/><text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`+"\n",
			x, pictureTop-10, height-6, colour, thick, x, pictureTop-16, label)
	}
	for i, r := range results {
		y := pictureTop + pictureRow*(float64(i)+0.5)
		fmt.Fprintf(out, `<text x="%.0f" y="%.1f" text-anchor="end">%s</text>`, pictureLabel-12, y+4, escaped(r.Query))
		for _, m := range marks {
			m.shape(out, place(m.of(r)), y, m.colour)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text)
}

// drawTo writes the picture of results to a file.
func drawTo(path string, results []*result) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(draw(f, results), f.Close())
}

// readResults reads the lines of an earlier run.
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
	fmt.Fprintln(out, "| question | threads | ours s | DuckDB s | ratio | ours CPU s | DuckDB CPU s | ratio | ours MB | "+
		"DuckDB MB |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range results {
		fmt.Fprintf(out, "| %s | %d | %.3f | %.3f | %.2f | %.3f | %.3f | %.2f | %.0f | %.0f |\n",
			r.Query, r.Threads, r.Ours, r.DuckDB, r.Ratio, r.OursCPU, r.DuckCPU, r.CPU, r.OursMB, r.DuckMB)
	}
	return out.Flush()
}
