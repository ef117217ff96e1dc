package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// The picture is well-formed XML. It has a row for each query, measured with the largest number of threads. A ratio
// beyond the scale is drawn at the end of the scale.
func TestPicture(t *testing.T) {
	results := []*result{
		{Query: "a<b", Rows: 10, Threads: 2, Ratio: 0.5, CPU: 1e-9, OursMB: 1, DuckMB: 2}, {Query: "other", Rows: 10,
			Threads: 2, Ratio: 1e9, CPU: 1, OursMB: 1, DuckMB: 1},
		{Query: "one-thread", Rows: 10, Threads: 1, Ratio: 1, CPU: 1, OursMB: 1, DuckMB: 1},
	}
	figure, err := figureOf(results)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := figure.Write(&out, "svg"); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.Contains(text, "a&lt;b") || !strings.Contains(text, "other") || strings.Contains(text, "one-thread") {
		t.Errorf("the questions are not those of two threads: %s", text)
	}
	d := xml.NewDecoder(&out)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := figureOf(nil); err == nil {
		t.Error("a picture of nothing")
	}
}
