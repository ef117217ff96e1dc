// Package trinotest starts Trino for tests: a coordinator that is its own worker, with tables in
// memory and of Iceberg.
package trinotest

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/full/setuptest"
	_ "github.com/dprelease/dprelease/full/trino" // the driver
)

const (
	// version is the newest version of the server on Maven Central.
	version = "476"
	// minJava is the lowest version of Java on which this version of the server runs.
	minJava = 24
	// onlyPlugins is a folder with the plugins to load; the server loads no others.
	onlyPlugins = "plugins"
)

// Server is a running Trino.
type Server struct {
	*setuptest.Process
	// DSN is the connection string of the catalogue memory, without a schema.
	DSN string
}

// Start starts a server that ends with the test. The test is skipped if there is no suitable Java, or if Trino cannot
// be installed. DPRELEASE_TRINO is the address of a server to use instead; it needs the
// catalogues memory and iceberg.
func Start(t testing.TB) *Server {
	t.Helper()
	if address := os.Getenv("DPRELEASE_TRINO"); address != "" {
		return newServer(&setuptest.Process{Address: address})
	}
	java := findJava()
	if java == "" {
		t.Skipf("there is no Java %d, which Trino needs", minJava)
	}
	dir, err := install()
	if err != nil {
		t.Skipf("Trino cannot be had: %v", err)
	}
	s := newServer(setuptest.NewProcess(t, "trino"))
	s.run(t, java, dir)
	return s
}

func newServer(p *setuptest.Process) *Server {
	return &Server{Process: p, DSN: "http://test@" + p.Address + "/memory"}
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
		if n, err := strconv.Atoi(string(found[1])); err == nil && n >= minJava {
			return java
		}
	}
	return ""
}

// install returns the folder of Trino. The archive's plugins are links, which Maven omits.
func install() (home string, err error) {
	dir, err := setuptest.Install("trino-"+version, func(dir string) error {
		for _, artifact := range []string{"trino-server-core:" + version + ":tar.gz", "trino-memory:" + version + ":zip",
			"trino-iceberg:" + version + ":zip"} {
			if err := setuptest.Maven(dir, "unpack", "-Dartifact=io.trino:"+artifact, "-DoutputDirectory="+dir); err != nil {
				return err
			}
		}
		plugins := filepath.Join(dir, onlyPlugins)
		return errors.Join(os.Mkdir(plugins, 0o700),
			os.Rename(filepath.Join(dir, "trino-memory-"+version), filepath.Join(plugins, "memory")),
			os.Rename(filepath.Join(dir, "trino-iceberg-"+version), filepath.Join(plugins, "iceberg")))
	})
	return dir, err
}

// run starts the server and waits until it answers. Rows of a table come from a worker, which the server knows for each
// catalogue some time after it answers queries without a table.
func (s *Server) run(t testing.TB, java, dir string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.Address)
	for name, text := range map[string]string{
		"config.properties": "coordinator=true\nnode-scheduler.include-coordinator=true\nhttp-server.http.port=" + port +
			"\ndiscovery.uri=http://" + s.Address + "\nquery.max-memory-per-node=500MB\nquery.max-length=100000000\n",
		"log.properties":                "io.trino=INFO\n",
		"etc/catalog/memory.properties": "connector.name=memory\n",
		"etc/catalog/iceberg.properties": "connector.name=iceberg\niceberg.catalog.type=TESTING_FILE_METASTORE\n" +
			"hive.metastore.catalog.dir=local:///lake\nfs.native-local.enabled=true\nlocal.location=" + s.Dir + "\n",
	} {
		path := filepath.Join(s.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("trino", s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	server := exec.Command(java, "-Xmx1600m", "-XX:+UseSerialGC", "-cp",
		filepath.Join(dir, "trino-server-core-"+version, "lib", "*"),
		"-Djdk.attach.allowAttachSelf=true", "--add-modules=jdk.incubator.vector", "-Dnode.environment=test",
		"-Dnode.id=test",
		"-Dnode.data-dir="+s.Dir, "-Dconfig="+filepath.Join(s.Dir, "config.properties"),
		"-Dlog.levels-file="+filepath.Join(s.Dir, "log.properties"), "-Dplugin.dir="+filepath.Join(dir, onlyPlugins),
		"-Dcatalog.config-dir="+filepath.Join(s.Dir, "etc", "catalog"), "io.trino.server.TrinoServer")
	s.Start(t, server, func(ctx context.Context) bool {
		_, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS memory.default.ready AS SELECT * FROM TABLE(sequence(1, "+
			"10))")
		rows := 0
		return err == nil && db.QueryRowContext(ctx, "SELECT count(*) FROM memory.default.ready").Scan(&rows) == nil &&
			rows > 0
	})
}

// Schema makes a new schema in a catalogue. It returns its connection string, and a function that runs statements
// there.
func (s *Server) Schema(t testing.TB, catalogue, name string) (dsn string, exec func(text string) error) {
	t.Helper()
	dsn = "http://test@" + s.Address + "/" + catalogue + "/" + name
	db, err := sql.Open("trino", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	full := catalogue + "." + name
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+full); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = db.ExecContext(context.Background(), "DROP SCHEMA "+full+" CASCADE") })
	return dsn, func(text string) error {
		_, err := db.ExecContext(t.Context(), text)
		return err
	}
}
