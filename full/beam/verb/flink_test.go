//go:build linux

package verb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/cmd/release/command"
	"github.com/dprelease/dprelease/full/setuptest"
)

// flinkVersion is the version of the package on PyPI that has Flink's jars.
const flinkVersion = "1.19.3"

// jobServer is the Maven project of Beam's job server for Flink, with its libraries. One of these is not published in
// the same version.
const jobServer = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>test</artifactId><version>1</version>
<dependencyManagement><dependencies><dependency><groupId>org.apache.beam</groupId>
<artifactId>beam-runners-java-job-service</artifactId><version>2.65.0</version></dependency></dependencies></dependencyManagement>
<dependencies><dependency><groupId>org.apache.beam</groupId><artifactId>beam-runners-flink-1.19</artifactId><version>2.70.0</version>
</dependency></dependencies></project>
`

// flink is a session cluster of Flink, whose task managers have one slot each, and Beam's job server.
type flink struct {
	*testing.T
	dir, lib  string
	jobServer int // its port
	rest      int
	java      []string // the options of a task manager
	resources []string
}

// newFlink starts a cluster with the given number of task managers; it ends with the test. The test is skipped if Flink
// cannot be installed.
func newFlink(t *testing.T, managers int) (f *flink, pids []int) {
	t.Helper()
	if os.Getenv("DPRELEASE_ENGINES") == "" {
		t.Skip("Flink takes minutes to install and to answer: make check-engines runs this test")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("there is no Java, which Flink needs")
	}
	home, err := installFlink()
	if err != nil {
		t.Skipf("Flink cannot be had: %v", err)
	}
	f = &flink{T: t, dir: t.TempDir(), lib: filepath.Join(home, "pyflink", "lib", "*"), jobServer: freePort(t), rest: freePort(t)}
	conf := fmt.Sprintf(`jobmanager.rpc.address: 127.0.0.1
jobmanager.bind-host: 127.0.0.1
jobmanager.rpc.port: %d
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: %d
taskmanager.bind-host: 127.0.0.1
taskmanager.host: 127.0.0.1
taskmanager.memory.process.size: 1200m
taskmanager.numberOfTaskSlots: 1
io.tmp.dirs: %s
heartbeat.timeout: 15000
heartbeat.interval: 3000
slot.request.timeout: 20000
restart-strategy.type: none
`, freePort(t), f.rest, f.dir)
	if err := os.WriteFile(filepath.Join(f.dir, "flink-conf.yaml"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	utilities := f.lib + ":" + filepath.Join(home, "pyflink", "bin", "bash-java-utils.jar")
	out, err := exec.Command("java", "-cp", utilities, "org.apache.flink.runtime.util.bash.BashJavaUtils",
		"GET_TM_RESOURCE_PARAMS", "--configDir", f.dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if options, ok := strings.CutPrefix(line, "BASH_JAVA_UTILS_EXEC_RESULT:"); ok {
			f.java, f.resources = f.resources, strings.Fields(options)
		}
	}
	startJava(t, f.dir, "jobmanager", nil, "-Xmx512m", "-cp", f.lib,
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", f.dir,
		"--executionMode", "cluster")
	for range managers {
		pids = append(pids, f.manager())
	}
	startJava(t, f.dir, "jobserver", nil, "-Xmx512m", "-cp", filepath.Join(home, "jobserver", "*"),
		"org.apache.beam.runners.flink.FlinkJobServerDriver", fmt.Sprintf("--flink-master=127.0.0.1:%d", f.rest),
		"--job-host=localhost", fmt.Sprintf("--job-port=%d", f.jobServer), fmt.Sprintf("--artifact-port=%d", freePort(t)),
		fmt.Sprintf("--expansion-port=%d", freePort(t)), "--artifacts-dir="+f.dir)
	f.await(managers)
	await(t, f.jobServer)
	return f, pids
}

// installFlink returns the folder of Flink and of the job server.
func installFlink() (dir string, err error) {
	return setuptest.Install("flink-"+flinkVersion, func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(jobServer), 0o600),
			setuptest.Pip(dir, "apache-flink-libraries", flinkVersion),
			setuptest.Maven(dir, "copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+filepath.Join(dir, "jobserver")))
	})
}

// manager starts a task manager.
func (f *flink) manager() (pid int) {
	f.Helper()
	return startJava(f.T, f.dir, fmt.Sprintf("taskmanager-%d", time.Now().UnixNano()), nil, slices.Concat(f.java,
		[]string{"-cp", f.lib, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", f.dir},
		f.resources)...)
}

// await waits until the cluster has at least some task managers.
func (f *flink) await(some int) {
	f.Helper()
	var found struct{ TaskManagers []json.RawMessage }
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/taskmanagers", f.rest))
		if err != nil {
			continue
		}
		err = json.NewDecoder(r.Body).Decode(&found)
		_ = r.Body.Close() // it was read
		if err == nil && len(found.TaskManagers) >= some {
			return
		}
	}
	f.Fatalf("%d of %d task managers are there", len(found.TaskManagers), some)
}

// run starts the run on two task managers and kills one of them while both read the table.
func (f *flink) run(k *killRun, kill int, attempts string) {
	f.Helper()
	k.start("--runner=flink", fmt.Sprintf("--endpoint=localhost:%d", f.jobServer), "--parallelism=2", "--attempts="+attempts)
	k.awaitReaders(2)
	if err := syscall.Kill(kill, syscall.SIGKILL); err != nil {
		f.Fatal(err)
	}
}

// One of two task managers is killed while both read the table. If another one takes its place, the pipeline is run
// again and the release is made with one charge, the whole budget. If none does, the run ends with a clear message and
// no charge.
func TestKilledTaskManager(t *testing.T) {
	const rows = 6_000_000
	f, pids := newFlink(t, 2)
	t.Run("replaced", func(t *testing.T) {
		k := newKillRun(t, rows)
		f.run(k, pids[0], "3")
		pids[0] = f.manager()
		k.releases(6*time.Minute, failedOnce)
	})
	t.Run("lost", func(t *testing.T) {
		f.await(2)
		k := newKillRun(t, rows)
		f.run(k, pids[1], "2")
		err := k.wait(6 * time.Minute)
		t.Logf("%s", k.out.String())
		if text := k.out.Bytes(); err == nil || !bytes.Contains(text, []byte("attempt 1 of 2 failed")) ||
			!bytes.Contains(text, []byte("nothing was charged")) {
			t.Errorf("%v\n%s\n%s", err, text, k.poolOut.String())
		}
		if code := command.Run(t.Context(), "run", k.job, "--quiet"); code != 0 {
			t.Errorf("the whole budget is not there any more: %d", code)
		}
	})
}
