package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"
)

// The number of attempts of a request, and the pauses between them. Pauses double, and each is shortened at random by
// up to a half, so that readers that failed together do not retry together.
const (
	attempts   = 7
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
	// The deadline of an attempt is minTime, and one second more for each slowest bytes that it reads or writes.
	minTime = 30 * time.Second
	slowest = 64 << 10
	// After this many bytes have arrived, a read may fail seven times again. Fewer bytes do not count: a store that
	// sends one byte and then stalls must not be asked forever.
	progress = 64 << 10
	// An attempt to read fails if fewer bytes than progress arrive for as long as maxSilence: a store that sends a few
	// bytes now and then must not be asked forever either.
	maxSilence = 30 * time.Second
)

// Retry calls f until it succeeds, up to seven times, while its error is of kind Unavailable. size is the approximate
// number of bytes that f reads or writes.
func Retry(ctx context.Context, size int64, f func(context.Context) error) error {
	for failed := 0; ; failed++ {
		err := attempt(ctx, size, f)
		if done, err := finished(ctx, err); done || failed+1 == attempts {
			return err
		}
		if err := pause(ctx, failed); err != nil {
			return err
		}
	}
}

// ReadFull fills p with bytes of an object, by as many requests as necessary. It keeps the bytes of a request that
// fails later, and gives up after seven failures with less than 64 KiB between them.
func ReadFull(ctx context.Context, b Bucket, o Object, p []byte, at int64) error {
	return ReadPieces(ctx, b, o, at, int64(len(p)), func(int64) []byte { return p })
}

// ReadPieces does the same as [ReadFull] for size bytes in several slices, which it fills one after the other.
// next(left) returns the next slice, of at most left bytes; it is called when the previous slice is full.
func ReadPieces(ctx context.Context, b Bucket, o Object, at, size int64, next func(left int64) []byte) error {
	var piece []byte // the part of the current slice that is not filled yet
	left := size
	got := 0 // bytes since the count of failures was set to 0
	for failed := 0; left > 0; {
		err := attempt(ctx, left, func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			end := time.Now().Add(maxSilence)
			silence := time.AfterFunc(maxSilence, cancel)
			defer silence.Stop()
			r, err := b.Read(ctx, o, at, left)
			if err != nil {
				return err
			}
			defer r.Close()
			for left > 0 {
				if len(piece) == 0 {
					// The next call may wait for memory; the store is not silent meanwhile.
					silence.Stop()
					before := time.Now()
					piece = next(left)
					end = end.Add(time.Since(before))
					silence.Reset(time.Until(end))
				}
				n, err := r.Read(piece)
				at, left, piece, got = at+int64(n), left-int64(n), piece[n:], got+n
				if got >= progress {
					end = time.Now().Add(maxSilence)
					silence.Reset(maxSilence)
					failed, got = 0, 0
				}
				if err != nil && left > 0 {
					return Failure(Unavailable, "")
				}
			}
			return nil
		})
		if left == 0 {
			return nil
		}
		failed++
		if done, err := finished(ctx, err); done || failed == attempts {
			return err
		}
		if err := pause(ctx, failed-1); err != nil {
			return err
		}
	}
	return nil
}

// List returns the objects whose keys have a prefix and which keep accepts. It tries up to seven times. An attempt
// fails if it yields fewer than a hundred objects within 30 seconds, and has not come to the end.
func List(ctx context.Context, b Bucket, prefix string, keep func(Object) bool) (objects []Object, err error) {
	const some = 100
	for failed := 0; ; failed++ {
		objects = nil
		err := func() error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			silence := time.AfterFunc(maxSilence, cancel)
			defer silence.Stop()
			yielded := 0
			return b.List(ctx, prefix, func(o Object) error {
				if yielded++; yielded%some == 0 {
					silence.Reset(maxSilence)
				}
				if keep(o) {
					objects = append(objects, o)
				}
				return nil
			})
		}()
		if done, err := finished(ctx, err); done || failed+1 == attempts {
			return objects, err
		}
		if err := pause(ctx, failed); err != nil {
			return nil, err
		}
	}
}

// attempt runs f with a deadline for size bytes.
func attempt(ctx context.Context, size int64, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, minTime+time.Duration(size/slowest)*time.Second)
	defer cancel()
	return f(ctx)
}

// finished reports whether no further attempt is made: the last one succeeded, ctx ended, or another attempt would fail
// too, since the error is not of kind Unavailable. It also returns the error for the caller of Retry.
func finished(ctx context.Context, err error) (bool, error) {
	var own *Error
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return true, context.Cause(ctx)
	case errors.As(err, &own):
		return own.Kind != Unavailable, own
	}
	return false, Failure(Unavailable, "")
}

func pause(ctx context.Context, failed int) error {
	d := min(firstPause<<failed, lastPause)
	var b [4]byte
	_, _ = rand.Read(b[:]) // Read of crypto/rand never fails
	d -= time.Duration(int64(d) / 2 * int64(binary.LittleEndian.Uint32(b[:])>>16) >> 16)
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
