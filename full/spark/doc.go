// Package spark is a database/sql driver for servers that speak HiveServer2's Thrift protocol over Spark SQL: Spark's
// own Thrift server, Kyuubi, and services that offer either. Importing the package registers the driver under the name
// "spark".
//
// A connection is a session of the server. A statement is an operation that the driver waits for. Answers come in pages
// of columns. The driver has no parameters and no transactions. If a context ends, the driver cuts the connection: the
// server then closes the session and cancels its jobs.
//
// TCLIService.thrift in Apache Hive defines the protocol; docs/adr/0041-spark-by-hiveserver2.md explains why it was
// chosen.
package spark
