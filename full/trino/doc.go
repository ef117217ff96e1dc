// Package trino adds the driver of Trino to a program that imports it, for jobs with input.sql and driver: trino.
//
// The driver sends statements to a coordinator over HTTP. It repeats a request if that is safe, and cancels the
// statement on the server if its context ends.
package trino

import (
	"time"

	trino "github.com/trinodb/trino-go-client/trino" // registers the driver with database/sql
)

// retries is how long a failed request is repeated. A restarted coordinator has lost its statements, so longer waits do
// not help.
const retries = 30 * time.Second

func init() { trino.DefaultRequestRetryTimeout = retries }
