package verb

import (
	"bytes"
	"context"
	"errors"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A runner may wait forever, silently, for a worker that was killed. So the submitter polls the job's metrics, which
// change as long as a worker reads rows or processes units. If they do not change for the time of --stalled, the job is
// cancelled.

// errStalled is the error for a job that made no progress.
var errStalled = errors.New("the job made no progress for as long as --stalled says")

// cancelTime is how long a runner may take to cancel a job that hangs.
const cancelTime = 10 * time.Second

// isStalled waits until the job has made no progress for the duration stalled and returns true. It returns false if the
// context ends first or the runner has no metrics.
func isStalled(ctx context.Context, client jobpb.JobServiceClient, job string, stalled time.Duration) bool {
	tick := time.NewTicker(max(stalled/20, 10*time.Millisecond))
	defer tick.Stop()
	var last []byte
	since := time.Now()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		within, cancel := context.WithTimeout(ctx, stalled)
		metrics, err := client.GetJobMetrics(within, &jobpb.GetJobMetricsRequest{JobId: job})
		cancel()
		if status.Code(err) == codes.Unimplemented {
			return false
		}
		text, errText := proto.MarshalOptions{Deterministic: true}.Marshal(metrics)
		if err == nil && errText == nil && !bytes.Equal(text, last) {
			last, since = text, time.Now()
		}
		if time.Since(since) >= stalled {
			return true
		}
	}
}
