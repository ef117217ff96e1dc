// Package beam aggregates the input of a job on Apache Beam, with the Go SDK.
//
// The pipeline has three functions and two group-by-keys. Its functions call the steps that package local has for
// engines that shuffle:
//
//	ranges of splits ─pack─▶ (bucket, message) ─group by bucket─▶ bound ─▶ (0, message) ─group─▶ together ─▶ one part
//
// A worker reads a range of splits and sends each row to a bucket, which a keyed hash of the row's unit chooses. One
// worker bounds all units of a bucket, within its memory and a scratch file. The exact answers are integers; they are
// added up and written as one part of pipeline/partial. An element of the pipeline is a block of rows, not a row, so a
// runner moves thousands of elements instead of billions.
//
// All data on a wire is encrypted under the key of the run. The key is not part of the pipeline: workers have it in
// their environment. The runner sees the numbers of splits and buckets and the lengths of messages. It sees nothing of
// the job and its input, since the workers' instructions are encrypted too. `release merge` adds the noise, charges the
// ledger and makes the release. So if a worker is killed, a bundle is retried or a pipeline fails, nothing is charged
// and no answer changes.
package beam
