// Package beam aggregates the input of a job on Apache Beam, with the Go SDK.
//
// The pipeline has three functions, which are package local's for engines that shuffle, and two group-by-keys:
//
//	ranges of splits ─pack─▶ (bucket, message) ─group by bucket─▶ bound ─▶ (0, message) ─group─▶ together ─▶ one part
//
// A worker reads a range of splits and sends the rows of units, by a keyed hash of the unit, to a bucket each; all
// units of a bucket are bounded by one worker, within its memory and a scratch file; the exact answers, integers, are
// added up and written as one part of pipeline/partial. One element is a block of rows, not a row: an engine then
// carries some thousand elements and not some billion.
//
// All that crosses a wire is encrypted under the key of the run, which is not part of the pipeline: workers have it in
// their environment. The runner sees the numbers of splits and buckets, and the lengths of messages. Of the job and its
// input it sees nothing: what workers are told is encrypted too. Noise, ledger and release stay those of `release
// merge`, so a worker that is killed, a bundle that is tried again and a pipeline that fails change nothing and cost
// nothing.
package beam
