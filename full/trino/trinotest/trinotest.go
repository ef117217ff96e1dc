// Package trinotest starts Trino for tests: a coordinator that is its own worker, with tables in memory.
package trinotest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/dprelease/dprelease/full/trino" // the driver
)

const (
	// version is the newest version of the server on Maven Central.
	version = "476"
	// leastJava is the oldest Java on which this version runs.
	leastJava = 24
	// onlyMemory is the folder of the only plugins that are loaded.
	onlyMemory = "plugins"
)

// Server is a running Trino.
type Server struct {
	// DSN is the connection string without a schema. Address is the coordinator's address.
	DSN, Address string
	// Dir is the folder of all files that Trino writes.
	Dir string

	process int // 0 if the test did not start the server
}

// installing serializes the installation of Trino.
var installing sync.Mutex

// Start starts a server that ends with the test. The test is skipped if there is no suitable Java, or if Trino cannot
// be installed. DPRELEASE_TRINO is the address of a server to use instead; it needs a catalog memory.
func Start(t testing.TB) *Server {
	t.Helper()
	if address := os.Getenv("DPRELEASE_TRINO"); address != "" {
		return &Server{DSN: "http://test@" + address + "/memory", Address: address}
	}
	java := findJava()
	if java == "" {
		t.Skipf("there is no Java %d, which Trino needs", leastJava)
	}
	home, err := install()
	if err != nil {
		t.Skipf("Trino cannot be had: %v", err)
	}
	dir, err := os.MkdirTemp("", "trino")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Dir: dir}
	t.Cleanup(func() { s.stop(t) })
	s.run(t, java, home)
	return s
}

// findJava returns a Java that is new enough, from JAVA_HOME, the path or Debian's folder.
func findJava() string {
	all := []string{filepath.Join(os.Getenv("JAVA_HOME"), "bin", "java"), "java"}
	more, err := filepath.Glob("/usr/lib/jvm/*/bin/java")
	if err == nil {
		all = append(all, more...)
	}
	is := regexp.MustCompile(`version "([0-9]+)`)
	for _, java := range all {
		out, err := exec.Command(java, "-version").CombinedOutput()
		found := is.FindSubmatch(out)
		if err != nil || found == nil {
			continue
		}
		if n, err := strconv.Atoi(string(found[1])); err == nil && n >= leastJava {
			return java
		}
	}
	return ""
}

// install returns the folder of Trino. It installs Trino once, for all tests and all later runs.
func install() (dir string, err error) {
	installing.Lock()
	defer installing.Unlock()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, "dprelease", "trino-server-core-"+version)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(part) }() // leftover files do no harm
	const copied = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack"
	for _, artifact := range []string{"trino-server-core:" + version + ":tar.gz", "trino-memory:" + version + ":zip"} {
		mvn := exec.Command("mvn", "-q", "-B", copied, "-Dartifact=io.trino:"+artifact, "-DoutputDirectory="+part)
		mvn.Dir = part
		if out, err := mvn.CombinedOutput(); err != nil {
			return "", fmt.Errorf("mvn: %w: %.300s", err, out)
		}
	}
	home := filepath.Join(part, filepath.Base(dir))
	// The archive's other plugins are links, which Maven omits.
	plugins := filepath.Join(home, onlyMemory)
	if err := errors.Join(os.Mkdir(plugins, 0o700),
		os.Rename(filepath.Join(part, "trino-memory-"+version), filepath.Join(plugins, "memory"))); err != nil {
		return "", err
	}
	if err := os.Rename(home, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return dir, nil
}

// run starts the server and waits until it answers.
func (s *Server) run(t testing.TB, java, home string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = l.Addr().String()
	_ = l.Close() // the server takes the port
	s.DSN = "http://test@" + s.Address + "/memory"
	_, port, _ := net.SplitHostPort(s.Address)
	for name, text := range map[string]string{
		"config.properties": "coordinator=true\nnode-scheduler.include-coordinator=true\nhttp-server.http.port=" + port +
			"\ndiscovery.uri=http://" + s.Address + "\nquery.max-memory-per-node=500MB\nquery.max-length=100000000\n",
		"log.properties":                "io.trino=INFO\n",
		"etc/catalog/memory.properties": "connector.name=memory\n",
	} {
		path := filepath.Join(s.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(filepath.Join(s.Dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server := exec.Command(java, "-Xmx1600m", "-XX:+UseSerialGC", "-cp", filepath.Join(home, "lib", "*"),
		"-Djdk.attach.allowAttachSelf=true", "--add-modules=jdk.incubator.vector", "-Dnode.environment=test", "-Dnode.id=test",
		"-Dnode.data-dir="+s.Dir, "-Dconfig="+filepath.Join(s.Dir, "config.properties"),
		"-Dlog.levels-file="+filepath.Join(s.Dir, "log.properties"), "-Dplugin.dir="+filepath.Join(home, onlyMemory),
		"-Dcatalog.config-dir="+filepath.Join(s.Dir, "etc", "catalog"), "io.trino.server.TrinoServer")
	server.Dir, server.Stdout, server.Stderr = s.Dir, log, log
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := server.Start(); err != nil {
		t.Skipf("Trino cannot be started: %v", err)
	}
	s.process = server.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	db, err := sql.Open("trino", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if s.answers(t.Context(), db) {
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("Trino ended: %v\n%s", err, s.Log())
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("Trino does not answer\n%s", s.Log())
		}
	}
}

func (s *Server) answers(ctx context.Context, db *sql.DB) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	one := 0
	return db.QueryRowContext(ctx, "SELECT 1").Scan(&one) == nil
}

// Log returns what the server wrote.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.Dir, "server.log")) // without the log, the message is shorter
	return string(text)
}

func (s *Server) stop(t testing.TB) {
	t.Helper()
	if s.process > 0 {
		_ = syscall.Kill(-s.process, syscall.SIGKILL) // it may have ended
	}
	for range 50 { // it may still write
		if err := os.RemoveAll(s.Dir); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s cannot be removed", s.Dir)
}

// Schema makes a new schema. It returns its connection string, and a function that runs statements there.
func (s *Server) Schema(t testing.TB, name string) (dsn string, exec func(text string) error) {
	t.Helper()
	all, err := sql.Open("trino", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Close() })
	if _, err := all.ExecContext(t.Context(), "CREATE SCHEMA memory."+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = all.ExecContext(context.Background(), "DROP SCHEMA memory."+name+" CASCADE") })
	dsn = s.DSN + "/" + name
	db, err := sql.Open("trino", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return dsn, func(text string) error {
		_, err := db.ExecContext(t.Context(), text)
		return err
	}
}
