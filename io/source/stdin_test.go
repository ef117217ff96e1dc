package source_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dprelease/dprelease/internal/scratchfile"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
)

func openStdin(ctx context.Context, t *testing.T, format string, in io.Reader) (*source.Dataset, error) {
	t.Helper()
	d, err := source.Open(ctx, source.Options{Files: []string{source.Stdin}, Format: format, Stdin: in,
		Scratch: t.TempDir(), Workers: 2})
	if err == nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return d, err
}

// A table on standard input has the rows and the digests of the same bytes in a file, also if it fills several pieces
// of the spool.
func TestStdinIsTheFile(t *testing.T) {
	records := sample(40_000)
	for name, content := range map[string][]byte{
		"a.arrow": ipcFile(t, cut(arrowRecord(records), 1500)), "a.parquet": parquetGo(t, records, mixed),
	} {
		if name == "a.arrow" && len(content) < 2<<20 {
			t.Fatalf("%d bytes fit in one piece", len(content))
		}
		file := open(t, textfile.CSV{}, write(t, name, content))
		d, err := openStdin(t.Context(), t, strings.TrimPrefix(name, "a."), bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		same(t, read(t, file, sampleColumns...), read(t, d, sampleColumns...))
		for split := range file.Splits() {
			want, err1 := file.Digest(t.Context(), split, sampleColumns)
			got, err2 := d.Digest(t.Context(), split, sampleColumns)
			if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, split %d: %x, want %x, %v", name, split, got, want, err)
			}
		}
	}
}

// If the writer was stopped at any place before the end, Open fails. Formats that do not mark their end are refused.
func TestStdinThatWasCutShort(t *testing.T) {
	records := sample(2000)
	for format, content := range map[string][]byte{
		"arrow": ipcFile(t, cut(arrowRecord(records), 500)), "parquet": parquetGo(t, records, mixed),
	} {
		for i := range 40 {
			n := len(content) - 1 - i*i*len(content)/1600
			if _, err := openStdin(t.Context(), t, format, bytes.NewReader(content[:n])); err == nil {
				t.Errorf("%s: %d of %d bytes are a table", format, n, len(content))
			}
		}
	}
	for format, content := range map[string][]byte{
		"arrow": ipcStream(t, cut(arrowRecord(records), 500)), "csv": []byte("x\n1\n"), "": []byte("x\n1\n"),
	} {
		var e *fault.Error
		if _, err := openStdin(t.Context(), t, format, bytes.NewReader(content)); !errors.As(err, &e) ||
			e.Code != fault.CodeFormat {
			t.Errorf("%q: %v", format, err)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, os.ErrClosed }

// Errors are reported without waiting for the writer.
func TestStdinFails(t *testing.T) {
	waiting, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openStdin(ctx, t, "arrow", waiting); !errors.Is(err, context.Canceled) {
		t.Errorf("a writer that never comes: %v", err)
	}
	var e *fault.Error
	if _, err := openStdin(t.Context(), t, "arrow", strings.NewReader("")); !errors.As(err, &e) ||
		e.Message != "standard input is empty" || e.Hint == "" {
		t.Error(err)
	}
	if _, err := openStdin(t.Context(), t, "arrow", iotest.ErrReader(source.ErrTerminal)); !errors.As(err, &e) ||
		e.Code != fault.CodeUnreadable || e.Message != "standard input is a terminal" || e.Hint == "" {
		t.Error(err)
	}
	for name, in := range map[string]io.Reader{"broken": broken{}, "none": nil} {
		var e *fault.Error
		if _, err := openStdin(t.Context(), t, "arrow", in); !errors.As(err, &e) || e.Code != fault.CodeUnreadable {
			t.Errorf("%s: %v", name, err)
		}
	}
	var full *scratchfile.Error
	if _, err := source.Open(t.Context(), source.Options{Files: []string{source.Stdin}, Format: "arrow",
		Stdin: strings.NewReader("x"), Scratch: "/none"}); !errors.As(err, &full) {
		t.Errorf("no folder: %v", err)
	}
	if err := source.Exists(t.Context(), source.Options{Files: []string{source.Stdin}, Format: "arrow"}); err != nil {
		t.Errorf("it is said to be missing: %v", err)
	}
}
