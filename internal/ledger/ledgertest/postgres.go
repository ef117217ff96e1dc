//go:build unix

package ledgertest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Server is a PostgreSQL server that a test starts, with a data folder and a socket of its own.
type Server struct {
	dir, bin string
	as       *syscall.Credential // the user who runs the server; nil for the user of the test
	cmd      *exec.Cmd
	schemas  atomic.Int64
}

// Postgres starts a server that is stopped at the end of the test. The test is skipped if PostgreSQL's programs are not
// installed.
func Postgres(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{bin: postgresPrograms()}
	if s.bin == "" {
		tb.Skip("no PostgreSQL server is installed (initdb and postgres are in neither PATH nor /usr/lib/postgresql)")
	}
	dir, err := os.MkdirTemp("", "pg") // a socket's path must be short
	if err != nil {
		tb.Fatal(err)
	}
	s.dir = dir
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	if os.Geteuid() == 0 { // the server refuses to run as root
		if s.as = servant(); s.as == nil {
			tb.Skip("no user postgres or nobody, as whom a server could run")
		}
		if err := os.Chown(dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	if out, err := s.command("initdb", "-D", s.data(), "-U", "ledger", "-A", "trust", "-E", "UTF8", "--locale=C",
		"-N").CombinedOutput(); err != nil {
		tb.Skipf("initdb failed: %v\n%s", err, out)
	}
	s.Start(tb)
	tb.Cleanup(func() { s.Stop(tb) })
	return s
}

// postgresPrograms returns the folder of initdb and postgres, or "" if there is none.
func postgresPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is well-formed
	slices.Sort(found)
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// servant returns a user without rights to run the server as: postgres if there is one, else nobody.
func servant() *syscall.Credential {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if errUID == nil && errGID == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return cmd
}

// Start starts the server and waits until it answers.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	s.cmd = s.command("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=200")
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	for range 300 {
		if s.command("pg_isready", "-h", s.dir, "-q").Run() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	tb.Fatal("the server does not answer")
}

// Stop ends the server at once, as a crash would. Committed entries survive it.
func (s *Server) Stop(tb testing.TB) {
	tb.Helper()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGQUIT) // "immediate shutdown"
	_ = s.cmd.Wait()                          // the error says how it ended
	s.cmd = nil
}

// DSN returns the connection string of a new, empty schema.
func (s *Server) DSN(tb testing.TB) string {
	tb.Helper()
	schema := fmt.Sprint("ledger", s.schemas.Add(1))
	cmd := s.command("psql", "-h", s.dir, "-U", "ledger", "-d", "postgres", "-q", "-c", "CREATE SCHEMA "+schema)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("psql: %v\n%s", err, out)
	}
	q := url.Values{"host": {s.dir}, "user": {"ledger"}, "search_path": {schema}}
	return "postgres:///postgres?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}
