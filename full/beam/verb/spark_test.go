//go:build linux

package verb_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/full/setuptest"
)

// sparkJobServer is the Maven project of Beam's job server for Spark, and of the Spark that it needs. One of the job
// server's libraries is not published in the same version.
const sparkJobServer = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>test</artifactId><version>1</version>
<dependencyManagement><dependencies><dependency><groupId>org.apache.beam</groupId>
<artifactId>beam-runners-java-job-service</artifactId><version>2.65.0</version></dependency></dependencies></dependencyManagement>
<dependencies><dependency><groupId>org.apache.beam</groupId><artifactId>beam-runners-spark-3</artifactId><version>2.70.0</version>
</dependency><dependency><groupId>org.apache.spark</groupId><artifactId>spark-core_2.12</artifactId><version>3.5.0</version></dependency>
<dependency><groupId>org.apache.spark</groupId><artifactId>spark-streaming_2.12</artifactId><version>3.5.0</version></dependency>
</dependencies></project>
`

// newSpark starts a cluster of Spark with two workers of one core each, and Beam's job server, which end with the test.
// It returns the job server's port and the folder of the processes' logs. The test is skipped if they cannot be
// installed.
func newSpark(t *testing.T) (port int, dir string) {
	t.Helper()
	if os.Getenv("DPRELEASE_ENGINES") == "" {
		t.Skip("Spark takes minutes to install and to answer: make check-engines runs this test")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("there is no Java, which Spark needs")
	}
	home, err := setuptest.Install("beam-spark-3.5.0", func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(sparkJobServer), 0o600),
			os.WriteFile(filepath.Join(dir, "RELEASE"), nil, 0o600), // so Spark knows that it is installed, and not being built
			setuptest.Maven(dir, "copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+filepath.Join(dir, "jars")))
	})
	if err != nil {
		t.Skipf("Spark cannot be had: %v", err)
	}
	dir, port = t.TempDir(), freePort(t)
	env := []string{"SPARK_HOME=" + home, "SPARK_LOCAL_IP=127.0.0.1", "SPARK_SCALA_VERSION=2.12"}
	jars := filepath.Join(home, "jars", "*")
	master, page := freePort(t), freePort(t)
	url := fmt.Sprintf("spark://127.0.0.1:%d", master)
	startJava(t, dir, "master", env, "-Xmx400m", "-cp", jars, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1",
		"--port", fmt.Sprint(master), "--webui-port", fmt.Sprint(page))
	for i := range 2 {
		name := fmt.Sprintf("worker-%d", i)
		startJava(t, dir, name, env, "-Xmx300m", "-cp", jars, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1",
			"--webui-port", fmt.Sprint(freePort(t)), "-c", "1", "-m", "1g", "-d", filepath.Join(dir, name), url)
	}
	startJava(t, dir, "jobserver", env, "-Xmx600m", "-Dspark.ui.enabled=false", "-Dspark.executor.memory=700m", "-cp", jars,
		"org.apache.beam.runners.spark.SparkJobServerDriver", "--spark-master-url="+url, "--job-host=localhost",
		fmt.Sprintf("--job-port=%d", port), fmt.Sprintf("--artifact-port=%d", freePort(t)),
		fmt.Sprintf("--expansion-port=%d", freePort(t)), "--artifacts-dir="+dir)
	await(t, port)
	return port, dir
}

// executors returns the processes of Spark that execute tasks and write their files to the folder dir.
func executors(dir string) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline") // processes that ended meanwhile are missing
	for _, path := range lines {
		text, _ := os.ReadFile(path)
		folder, _ := os.Readlink(filepath.Join(filepath.Dir(path), "cwd"))
		if strings.Contains(string(text), "CoarseGrainedExecutorBackend") && strings.HasPrefix(folder, dir) {
			pid := 0
			if _, err := fmt.Sscanf(path, "/proc/%d/cmdline", &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// All executors of Spark, or a worker, are killed while a worker reads the table. Spark runs their tasks again, or the
// pipeline is run again; the release is made with one charge, the whole budget.
func TestKilledExecutor(t *testing.T) {
	const rows = 6_000_000
	port, dir := newSpark(t)
	flags := []string{"--runner=spark", fmt.Sprintf("--endpoint=localhost:%d", port)}
	t.Run("executors", func(t *testing.T) {
		k := newKillRun(t, rows)
		k.start(flags...)
		k.awaitReaders(1)
		pids := executors(dir)
		if len(pids) == 0 {
			t.Fatal("there is no executor")
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		k.releases(6*time.Minute, "")
	})
	t.Run("worker", func(t *testing.T) {
		k := newKillRun(t, rows)
		k.start(flags...)
		k.killReader(1)
		k.releases(6*time.Minute, "")
	})
}
