// Package trino adds the driver of Trino to a program that imports it, for jobs with input.sql and driver: trino.
//
// The driver sends statements to a coordinator over HTTP. It repeats a request if that is safe, and cancels the
// statement on the server if its context ends.
package trino

import (
	"net/http"
	"time"

	trino "github.com/trinodb/trino-go-client/trino" // registers the driver with database/sql

	"github.com/dprelease/dprelease/internal/silence"
)

// retries is how long a failed request is repeated. A restarted coordinator has lost its statements, so longer waits do
// not help.
const retries = 30 * time.Second

// cancelling is how long the coordinator may take to cancel a statement. A run that is interrupted does not wait longer.
const cancelling = 3 * time.Second

// The client makes its connections by http.DefaultTransport or copies of it, which wait forever for an answer.
func init() {
	trino.DefaultRequestRetryTimeout, trino.DefaultCancelQueryTimeout = retries, cancelling
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t.DialContext = silence.Dialer(t.DialContext, silence.Limit, nil)
	}
}
