package calibrate

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/pipeline"
)

// batch is a question that is asked for each row of a CSV.
type batch struct {
	// needs names the columns that there must be, fixed what is the same in every row and must not be a column.
	needs []string
	fixed map[string]string
	// name is the column that answer adds.
	name   string
	answer func(row map[string]string) (float64, error)
}

// refuseJSON says that a batch has no JSON.
func refuseJSON(cmd *cobra.Command) error {
	if cmd.Flags().Changed("json") {
		return console.Usagef("--json: a batch is CSV")
	}
	return nil
}

// run copies a CSV from in to out with an answer and an error added to each row.
func (b *batch) run(in io.Reader, out io.Writer) error {
	reader := csv.NewReader(bufio.NewReaderSize(in, 1<<16))
	reader.FieldsPerRecord, reader.ReuseRecord = -1, true
	header, err := b.header(reader)
	if err != nil {
		return err
	}
	writer := csv.NewWriter(out)
	if err := writer.Write(append(slices.Clone(header), b.name, "error")); err != nil {
		return batchOutput(err)
	}
	rows, failed, err := b.rows(reader, writer, header)
	writer.Flush()
	if err := errors.Join(err, writer.Error()); err != nil {
		return batchOutput(err)
	}
	if failed > 0 {
		return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "calibrate",
			Message: fmt.Sprintf("%d of %d rows have an error", failed, rows)}
	}
	return nil
}

func batchOutput(err error) error {
	if errors.As(err, new(*console.UsageError)) {
		return err
	}
	return &pipeline.Error{Cause: pipeline.CauseOutput, Code: "calibrate", Message: "the answers can't be written",
		Err: err}
}

// header reads the names of the columns, which must hold each that is needed, once.
func (b *batch) header(in *csv.Reader) ([]string, error) {
	record, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, console.Usagef("--batch: stdin is empty; it must be a CSV with a header: %s", strings.Join(b.needs, ","))
	}
	if err != nil {
		return nil, console.Usagef("--batch: line 1 is not CSV")
	}
	header := slices.Clone(record)
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	for _, name := range b.needs {
		if !slices.Contains(header, name) {
			return nil, console.Usagef("--batch: the header has no column %q", name)
		}
	}
	for name := range b.fixed {
		if slices.Contains(header, name) {
			return nil, console.Usagef("--%s: it is a column of the input, too", name)
		}
	}
	for i, name := range header {
		if (slices.Contains(b.needs, name) || name == "sensitivity") && slices.Contains(header[:i], name) {
			return nil, console.Usagef("--batch: the header has the column %q twice", name)
		}
	}
	return header, nil
}

// rows copies the rows with their answers, each as wide as the header; it returns how many there are and how many have
// an error.
func (b *batch) rows(in *csv.Reader, out *csv.Writer, header []string) (rows, failed int, err error) {
	row := make(map[string]string, len(header)+len(b.fixed))
	maps.Copy(row, b.fixed)
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, failed, nil
		}
		var malformed *csv.ParseError
		if err != nil && !errors.As(err, &malformed) {
			return rows, failed, console.Usagef("--batch: stdin can't be read")
		}
		rows++
		result, problem := b.ask(record, header, row, malformed)
		if problem != "" {
			failed++
		}
		fields := make([]string, len(header), len(header)+2)
		if malformed == nil {
			copy(fields, record)
		}
		if err := out.Write(append(fields, result, problem)); err != nil {
			return rows, failed, err
		}
	}
}

// ask is one row's answer, or its error.
func (b *batch) ask(record, header []string, row map[string]string, malformed *csv.ParseError) (result,
	problem string) {
	switch {
	case malformed != nil:
		return "", fmt.Sprintf("line %d is not CSV: a quote is out of place", malformed.Line)
	case len(record) != len(header):
		return "", fmt.Sprintf("the row has %d fields, the header %d", len(record), len(header))
	}
	for i, name := range header {
		row[name] = record[i] // a name that is needed occurs once
	}
	x, err := b.answer(row)
	if err != nil {
		return "", plain(err)
	}
	return digits17(x), ""
}
