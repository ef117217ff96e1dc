package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/pipeline"
)

// batch answers a question for each row of a CSV.
func (a *app) batch(cmd *cobra.Command, q question, m calibrate.Method) error {
	for _, name := range append([]string{"sensitivity"}, q.needs...) {
		if cmd.Flags().Changed(name) {
			return usagef("--%s: with --batch it is a column of the input", name)
		}
	}
	if a.json {
		return usagef("--json: a batch is CSV")
	}
	in := csv.NewReader(bufio.NewReaderSize(cmd.InOrStdin(), 1<<16))
	in.FieldsPerRecord = -1
	header, err := batchHeader(in, q)
	if err != nil {
		return err
	}
	out := csv.NewWriter(a.stdout)
	if err := out.Write(append(slices.Clone(header), q.name, "error")); err != nil {
		return batchOutput(err)
	}
	rows, failed, err := batchRows(in, out, len(header), func(record []string) (float64, error) { return batchAnswer(q, m, header, record) })
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		return batchOutput(err)
	}
	if failed > 0 {
		return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "calibrate", Message: fmt.Sprintf("%d of %d rows have an error", failed, rows)}
	}
	return nil
}

func batchOutput(err error) error {
	if errors.As(err, new(*usageError)) {
		return err
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "calibrate", Message: "the answers can't be written", Err: err}
}

// batchHeader reads the names of the columns, which must hold what the question needs.
func batchHeader(in *csv.Reader, q question) ([]string, error) {
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, usagef("--batch: stdin is empty; it must be a CSV with a header: %s", strings.Join(q.needs, ","))
	}
	if err != nil {
		return nil, usagef("--batch: line 1 is not CSV")
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
		if slices.Index(header[:i], header[i]) >= 0 {
			return nil, usagef("--batch: the header has the column %q twice", header[i])
		}
	}
	for _, name := range q.needs {
		if !slices.Contains(header, name) {
			return nil, usagef("--batch: the header has no column %q", name)
		}
	}
	return header, nil
}

// batchRows copies the rows, as wide as the header at least, with their answers; it returns how many there are and how many
// have an error.
func batchRows(in *csv.Reader, out *csv.Writer, width int, answer func([]string) (float64, error)) (rows, failed int, err error) {
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, failed, nil
		}
		if err != nil {
			line, _ := in.FieldPos(0)
			return rows, failed, usagef("--batch: line %d is not CSV", line)
		}
		rows++
		result, problem := "", ""
		if x, err := answer(record); err != nil {
			failed++
			problem = plain(err)
		} else {
			result = digits17(x)
		}
		for len(record) < width {
			record = append(record, "")
		}
		if err := out.Write(append(record, result, problem)); err != nil {
			return rows, failed, err
		}
	}
}

func batchAnswer(q question, m calibrate.Method, header, record []string) (float64, error) {
	if len(record) != len(header) {
		return 0, fmt.Errorf("the row has %d fields, the header %d", len(record), len(header))
	}
	text := make(map[string]string, len(header))
	for i, name := range header {
		text[name] = record[i]
	}
	in, err := read(q.needs, text)
	if err != nil {
		return 0, err
	}
	return q.answer(m, in)
}
