// Package console is the output of the command's verbs: results to stdout; progress, warnings and errors to stderr; as
// text or as JSON; without the secrets of a job, and without characters that control a terminal.
package console

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"github.com/dprelease/dprelease/internal/redact"
	"github.com/dprelease/dprelease/pipeline"
)

// Console is the output of the verbs. It belongs to one process.
type Console struct {
	Stdout, Stderr io.Writer
	Log            string // the format of progress and errors on stderr: "text" or "json"
	Quiet          bool   // print only errors
	JSON           bool   // print results as JSON
	// environment holds the values that jobs took from the environment, which must never be printed.
	environment redact.Environment
	ID          string // the process's identifier in every line of its log
}

// New returns a console that writes text.
func New(stdout, stderr io.Writer) *Console {
	return &Console{Stdout: stdout, Stderr: stderr, Log: "text", ID: newID()}
}

// newID returns an identifier for the log lines of this process.
func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // no error: the process ends if there is no randomness
	return hex.EncodeToString(b[:])
}

// Errorf prints to stderr. It ignores errors, for instance if stderr is closed.
func (c *Console) Errorf(format string, args ...any) {
	_, _ = io.WriteString(c.Stderr, Visible(fmt.Sprintf(format, args...))) // the error is ignored: stderr is closed
}

// Note prints information for people; scripts can ignore it.
func (c *Console) Note(text string) { c.say(slog.LevelInfo, "note", text) }

// Warn prints a warning on stderr.
func (c *Console) Warn(text string) { c.say(slog.LevelWarn, "warning", text) }

func (c *Console) say(level slog.Level, word, text string) {
	switch {
	case c.Quiet:
	case c.Log == "json":
		c.Logger().Log(context.Background(), level, c.Redact(text))
	default:
		c.Errorf("%s: %s\n", word, c.Redact(text))
	}
}

// Printf prints to stdout, as fmt.Printf does. It puts each text among the arguments on one line, so that only format
// can start a new line.
func (c *Console) Printf(format string, args ...any) error { return c.Print(Fill(format, args...)) }

// Print prints a text of several lines to stdout.
func (c *Console) Print(text string) error {
	_, err := io.WriteString(c.Stdout, Visible(c.Redact(text)))
	return written(err)
}

// written returns the error for output that could not be written to stdout. Its hint says that what the command did is
// done.
func written(err error) error {
	if err == nil {
		return nil
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "stdout", Message: "standard output can't be written", Err: err,
		Hint: "what the command did is done all the same, such as a release that it published; make room, or write to " +
			"another place",
	}
}

// Redact replaces values that the job took from the environment by ${env:NAME}.
func (c *Console) Redact(s string) string { return c.environment.Redact(s) }

// Logger writes lines of JSON to stderr.
func (c *Console) Logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(visibleWriter{c.Stderr}, nil)).With("run_id", c.ID)
}

// Terminal reports whether stderr is a terminal that can move its cursor.
func (c *Console) Terminal() bool {
	if os.Getenv("TERM") == "dumb" {
		return false
	}
	f, ok := c.Stderr.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// PrintTable prints rows as aligned columns; the first row is the header.
func (c *Console) PrintTable(rows [][]string) error {
	return c.Print(Aligned(rows))
}

// PrintJSON prints a value as indented JSON.
func (c *Console) PrintJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return c.Print(string(text) + "\n")
}

// Env returns the value of an environment variable for a job. It remembers the value, so that no output shows it.
func (c *Console) Env(name string) (string, bool) { return c.environment.Lookup(name) }
