// Package trino puts the driver of Trino into a program that imports it: jobs may then have input.sql with driver: trino.
//
// The driver asks a coordinator over HTTP. It repeats what it asked if that is safe, and cancels a statement on the
// server if its context ends.
package trino

import (
	"time"

	trino "github.com/trinodb/trino-go-client/trino" // registers the driver with database/sql
)

// retries is for how long a request that failed is repeated. A coordinator that is started again has lost its
// statements, so that longer waits do not help.
const retries = 30 * time.Second

func init() { trino.DefaultRequestRetryTimeout = retries }
