// Package sparktest starts Spark for tests: its Thrift server, and two executors in separate processes.
package sparktest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/full/spark"
)

// version is the version of PySpark on PyPI, whose wheel has Spark's jars.
const version = "4.3.0"

// Server is Spark with its Thrift server.
type Server struct {
	// DSN is the connection string, without a database.
	DSN string
	// Address is the Thrift server's address, host and port.
	Address string
	// Dir is the folder of all files that Spark writes: its log, its executors' logs, tables.
	Dir string

	process int // 0 if the test did not start the server
}

// installing serializes the installation of Spark.
var installing sync.Mutex

// Start starts a server with the given settings of Spark; it ends with the test. The test is skipped if there is no
// Java, or if Spark cannot be installed. DPRELEASE_SPARK is the connection string of a server to use instead.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	if dsn := os.Getenv("DPRELEASE_SPARK"); dsn != "" {
		return &Server{DSN: dsn, Address: strings.TrimPrefix(dsn, "spark://")}
	}
	return start(t, version, "local-cluster[2,1,2048]", nil, settings)
}

// start starts a version of Spark with additional jars.
func start(t testing.TB, version, master string, jars, settings []string) *Server {
	t.Helper()
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("there is no Java, which Spark needs")
	}
	installed, err := install(version)
	if err != nil {
		t.Skipf("Spark cannot be had: %v", err)
	}
	dir, err := os.MkdirTemp("", "spark") // its name is short: Spark builds paths from it
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Dir: dir}
	t.Cleanup(func() { s.stop(t) })
	home := filepath.Join(dir, "home") // executors write next to the jars
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bin", "jars", "sbin"} {
		if err := os.Symlink(filepath.Join(installed, name), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.run(t, home, master, jars, settings)
	return s
}

// install returns the folder of a version of Spark. It installs Spark once, for all tests and all later runs.
func install(version string) (dir string, err error) {
	installing.Lock()
	defer installing.Unlock()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, "dprelease", "pyspark-"+version)
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, "pyspark"), nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(part) }() // leftover files do no harm
	pip := exec.Command("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", part, "pyspark=="+version)
	if out, err := pip.CombinedOutput(); err != nil {
		return "", fmt.Errorf("pip: %w: %.300s", err, out)
	}
	if err := os.Rename(part, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return filepath.Join(dir, "pyspark"), nil
}

// run starts the server and waits until it answers.
func (s *Server) run(t testing.TB, home, master string, jars, settings []string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = l.Addr().String()
	_ = l.Close() // the server takes the port
	_, port, _ := net.SplitHostPort(s.Address)
	s.DSN = "spark://" + s.Address
	args := []string{"--master", master, "--driver-memory", "2g",
		"--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"}
	if len(jars) > 0 {
		args = append(args, "--jars", strings.Join(jars, ","))
	}
	for _, setting := range append([]string{"spark.ui.enabled=false", "spark.executor.memory=2g", "spark.sql.shuffle.partitions=4",
		"spark.local.dir=" + s.Dir, "spark.sql.warehouse.dir=" + filepath.Join(s.Dir, "tables")}, settings...) {
		args = append(args, "--conf", strings.ReplaceAll(setting, "${dir}", s.Dir))
	}
	args = append(args, "--hiveconf", "hive.server2.thrift.port="+port, "--hiveconf",
		"hive.server2.thrift.bind.host=127.0.0.1", "spark-internal")
	log, err := os.Create(filepath.Join(s.Dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	server := exec.Command(filepath.Join(home, "bin", "spark-submit"), args...)
	server.Dir, server.Stdout, server.Stderr = s.Dir, log, log // the metastore is in the working folder
	server.Env = append(os.Environ(), "SPARK_HOME="+home, "SPARK_LOCAL_IP=127.0.0.1")
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the executors end with it
	if err := server.Start(); err != nil {
		t.Skipf("Spark cannot be started: %v", err)
	}
	s.process = server.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	db, err := sql.Open("spark", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if db.PingContext(t.Context()) == nil {
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("Spark ended: %v\n%s", err, s.Log())
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("Spark does not answer\n%s", s.Log())
		}
	}
}

// Log returns the server's log.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.Dir, "server.log")) // without the log, the message is shorter
	return string(text)
}

func (s *Server) stop(t testing.TB) {
	t.Helper()
	if s.process > 0 {
		_ = syscall.Kill(-s.process, syscall.SIGKILL) // it may have ended
	}
	for range 50 { // executors may still write
		if err := os.RemoveAll(s.Dir); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s cannot be removed", s.Dir)
}

// Executors returns the processes of the executors.
func (s *Server) Executors(t testing.TB) (pids []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "CoarseGrainedExecutorBackend") ||
			!strings.Contains(string(text), s.Dir) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Database makes a new database. It returns its connection string, and a function that runs statements in it.
func (s *Server) Database(t testing.TB, name string) (dsn string, exec func(text string) error) {
	t.Helper()
	s.Schema(t, name)
	dsn = s.DSN + "/" + name
	return dsn, executor(t, dsn)
}

// Schema makes the schema CATALOGUE.NAME. It returns a function that runs statements outside of the schema.
func (s *Server) Schema(t testing.TB, name string) (exec func(text string) error) {
	t.Helper()
	exec = executor(t, s.DSN)
	for _, text := range []string{"DROP DATABASE IF EXISTS " + name + " CASCADE", "CREATE DATABASE " + name} {
		if err := exec(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = exec("DROP DATABASE " + name + " CASCADE") }) // the server may have ended with the test
	return exec
}

// executor returns a function that runs statements.
func executor(t testing.TB, dsn string) func(text string) error {
	t.Helper()
	db, err := sql.Open("spark", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return func(text string) error {
		_, err := db.ExecContext(context.WithoutCancel(t.Context()), text)
		return told(err)
	}
}

// told adds the server's message to an error.
func told(err error) error {
	var e *spark.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w: %.2000s", err, e.Message)
	}
	return err
}
