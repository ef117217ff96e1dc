package verb

import (
	"context"
	"flag"
	"math"
	"strings"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	dpbeam "github.com/dprelease/dprelease/full/beam"
)

// Names of metrics
//
// A worker of the Go SDK reports metrics under short names: 1, 2, 3, …. Prism keeps one list of short names for all
// workers of a job. With two workers it would confuse their metrics, and the job would fail. To prevent this, each of
// several workers puts its identifier before its short names.

// nameMetrics gives the metrics of this process unique short names if it is one of several workers (see separate). Call
// it before the SDK's worker begins.
func nameMetrics() {
	id := flag.Lookup("id")
	if id == nil || !strings.Contains(id.Value.String(), environmentMark+dpbeam.WorkerScope) {
		return
	}
	prefix := id.Value.String() + " "
	grpcx.Dial = func(_ context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.WaitForReady(true)),
			grpc.WithStreamInterceptor(func(ctx context.Context, d *grpc.StreamDesc, c *grpc.ClientConn, method string,
				open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
				s, err := open(ctx, d, c, method, options...)
				return named{s, prefix}, err
			}))
	}
}

// named is a stream that adds a prefix to the short names of metrics.
type named struct {
	grpc.ClientStream
	prefix string
}

// SendMsg adds the prefix to the names in an answer.
func (n named) SendMsg(m any) error {
	if r, ok := m.(*fnpb.InstructionResponse); ok {
		if b := r.GetProcessBundle(); b != nil {
			b.MonitoringData = renamed(b.MonitoringData, n.prefix)
		}
		if p := r.GetProcessBundleProgress(); p != nil {
			p.MonitoringData = renamed(p.MonitoringData, n.prefix)
		}
		if i := r.GetMonitoringInfos(); i != nil {
			i.MonitoringInfo = renamed(i.MonitoringInfo, n.prefix)
		}
	}
	return n.ClientStream.SendMsg(m)
}

// RecvMsg removes the prefix from the names in a request.
func (n named) RecvMsg(m any) error {
	err := n.ClientStream.RecvMsg(m)
	if r, ok := m.(*fnpb.InstructionRequest); ok && err == nil {
		names := r.GetMonitoringInfos().GetMonitoringInfoId()
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], n.prefix)
		}
	}
	return err
}

func renamed[T any](m map[string]T, prefix string) map[string]T {
	out := make(map[string]T, len(m))
	for name, x := range m {
		out[prefix+name] = x
	}
	return out
}
