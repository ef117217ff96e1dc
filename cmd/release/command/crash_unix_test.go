//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/pipeline"
)

// If Go's runtime ends the process, the exit code is not the one for usage errors. SIGQUIT makes the runtime do so.
func TestCrashIsNotUsage(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0], "selftest", "--seconds", "600")
	cmd.Env = append(os.Environ(), asRelease+"=1", "TMPDIR="+folder)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for { // it is at work
		if made, _ := filepath.Glob(filepath.Join(folder, "*")); len(made) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() {
		t.Errorf("ended by %v; %.200s", cmd.ProcessState, out.String())
	}
}

// After a signal the exit code is 128 plus its number, also if the stopped code returns context.Cause instead of
// ctx.Err, as the workers that draw noise do.
func TestSignalDuringNoise(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(interrupted{signal})
		for _, err := range []error{
			ctx.Err(), context.Cause(ctx),
			&pipeline.Error{Cause: pipeline.CauseInside, Code: "internal", Message: "noise", Err: context.Cause(ctx)},
		} {
			if got := ExitCode(ctx, err); got != want {
				t.Errorf("%v: exit code %d, want %d", err, got, want)
			}
		}
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Error("a signal is no cancellation")
		}
		if got := ExitCode(ctx, &pipeline.Error{Cause: pipeline.CauseOutput, Code: "output"}); got != exitOutput {
			t.Errorf("a failure of its own after a signal: exit code %d", got)
		}
	}
}

// A stop while a public file is read is no fault of the job, whose exit code would call for a person.
func TestStoppedAtAPublicFile(t *testing.T) {
	dir := t.TempDir()
	job, table, public := filepath.Join(dir, "j.yaml"), filepath.Join(dir, "in.csv"), filepath.Join(dir, "p.csv")
	put(t, table, "a,b,c\n1,2,x\n")
	put(t, public, "c\nx\n")
	put(t, job, strings.Replace(pathJob, "count: {}", "histogram: {by: [{column: c, values_from: {file: p.csv, column: c}}]}", 1))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{syscall.SIGTERM})
	for _, args := range [][]string{{"plan", job}, {"init", table, "--unit", "row", "--epsilon", "1", "--delta", "1e-6", "--ask",
		"histogram c=@" + public + ":c"}} {
		var out bytes.Buffer
		if code := execute(ctx, args, &out, &out); code != 143 {
			t.Errorf("%s: exit code %d: %s", args[0], code, &out)
		}
	}
}

// Go's HTTP client logs bytes that a server sends unasked. They are a server's text, which nothing may quote.
func TestNoServersTextIsLogged(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\ncanary")
		_, _ = io.Copy(io.Discard, conn)
	}))
	defer server.Close()
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	put(t, trusted, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "columns", server.URL+"/t.csv")
	cmd.Env = append(os.Environ(), asRelease+"=1", "SSL_CERT_FILE="+trusted)
	if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "canary") ||
		!strings.Contains(string(out), "t.csv") {
		t.Errorf("%v: %s", err, out)
	}
}
