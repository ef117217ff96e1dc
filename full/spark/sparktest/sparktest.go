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
	"testing"

	"github.com/dprelease/dprelease/full/setuptest"
	"github.com/dprelease/dprelease/full/spark"
)

// version is the version of PySpark on PyPI, whose wheel has Spark's jars.
const version = "4.3.0"

// Server is Spark with its Thrift server. Its folder has its log, its executors' logs, and tables.
type Server struct {
	*setuptest.Process
	// DSN is the connection string, without a database.
	DSN string
}

// Start starts a server with the given settings of Spark; it ends with the test. The test is skipped if there is no
// Java, or if Spark cannot be installed. DPRELEASE_SPARK is the connection string of a server to use instead.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	if dsn := os.Getenv("DPRELEASE_SPARK"); dsn != "" {
		return &Server{DSN: dsn, Process: &setuptest.Process{Address: strings.TrimPrefix(dsn, "spark://")}}
	}
	return start(t, version, "local-cluster[2,1,2048]", nil, settings)
}

// start starts a version of Spark with additional jars.
func start(t testing.TB, version, master string, jars, settings []string) *Server {
	t.Helper()
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("there is no Java, which Spark needs")
	}
	installed, err := setuptest.Install("pyspark-"+version, func(dir string) error {
		return setuptest.Pip(dir, "pyspark", version)
	})
	if err != nil {
		t.Skipf("Spark cannot be had: %v", err)
	}
	s := &Server{Process: setuptest.NewProcess(t, "spark")}
	home := filepath.Join(s.Dir, "home") // executors write their logs below SPARK_HOME, so each server has its own
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bin", "jars", "sbin"} {
		if err := os.Symlink(filepath.Join(installed, "pyspark", name), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	_, port, _ := net.SplitHostPort(s.Address)
	s.DSN = "spark://" + s.Address
	args := []string{"--master", master, "--driver-memory", "2g",
		"--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"}
	if len(jars) > 0 {
		args = append(args, "--jars", strings.Join(jars, ","))
	}
	for _, setting := range append([]string{"spark.ui.enabled=false", "spark.executor.memory=2g",
		"spark.sql.shuffle.partitions=4",
		"spark.local.dir=" + s.Dir, "spark.sql.warehouse.dir=" + filepath.Join(s.Dir, "tables")}, settings...) {
		args = append(args, "--conf", strings.ReplaceAll(setting, "${dir}", s.Dir))
	}
	args = append(args, "--hiveconf", "hive.server2.thrift.port="+port, "--hiveconf",
		"hive.server2.thrift.bind.host=127.0.0.1", "spark-internal")
	server := exec.Command(filepath.Join(home, "bin", "spark-submit"), args...)
	server.Env = append(os.Environ(), "SPARK_HOME="+home, "SPARK_LOCAL_IP=127.0.0.1")
	db, err := sql.Open("spark", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s.Start(t, server, func(ctx context.Context) bool { return db.PingContext(ctx) == nil })
	return s
}

// Executors returns the process numbers of the executors.
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
	t.Cleanup(func() { _ = exec("DROP DATABASE " + name + " CASCADE") }) // the server may have ended
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

// told adds the server's message to err, for the log of a test.
func told(err error) error {
	var e *spark.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w: %.2000s", err, e.Message)
	}
	return err
}
