package sparktest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/full/setuptest"
)

// lakehouseVersion is the version of Spark for which the jars of Iceberg and Delta exist; it is not the newest.
const lakehouseVersion = "4.1.4"

// lakehouseJars are Maven artifacts.
var lakehouseJars = []string{"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
	"io.delta:delta-spark_2.13:4.3.0",
	"io.delta:delta-storage:4.3.0"}

// StartLakehouse starts a server that ends with the test. Its catalogue iceberg holds Iceberg tables in the server's
// folder iceberg; Delta tables are in Spark's own catalogue. The test is skipped if the jars cannot be installed.
// DPRELEASE_LAKEHOUSE is the connection string of a server to use instead, and DPRELEASE_LAKEHOUSE_DIR is its folder.
func StartLakehouse(t testing.TB) *Server {
	t.Helper()
	if dsn := os.Getenv("DPRELEASE_LAKEHOUSE"); dsn != "" {
		return &Server{DSN: dsn, Process: &setuptest.Process{Dir: os.Getenv("DPRELEASE_LAKEHOUSE_DIR")}}
	}
	jars, err := installJars(lakehouseJars)
	if err != nil {
		t.Skipf("Iceberg and Delta cannot be had: %v", err)
	}
	// local[2] is one process with two threads, because another server may run at the same time.
	return start(t, lakehouseVersion, "local[2]", jars,
		[]string{"spark.sql.catalog.iceberg=org.apache.iceberg.spark.SparkCatalog",
			"spark.sql.catalog.iceberg.type=hadoop", "spark.sql.catalog.iceberg.warehouse=${dir}/iceberg",
			"spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
			"spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension"})
}

// installJars installs Maven artifacts, and returns the paths of their jars.
func installJars(artifacts []string) (files []string, err error) {
	dir, err := setuptest.Install("lakehouse-"+lakehouseVersion, func(dir string) error {
		for _, artifact := range artifacts {
			if err := setuptest.Maven(dir, "copy", "-Dartifact="+artifact, "-DoutputDirectory="+dir); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(dir, "*.jar"))
}
