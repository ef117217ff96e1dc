package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"
)

// How often a request is made, and how long the pauses are. They double; each is shortened at random by up to a half, so that many readers that
// failed together do not come back together.
const (
	attempts   = 7
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
	// An attempt may take leastTime and, for what it reads, a second for each slowest bytes.
	leastTime = 30 * time.Second
	slowest   = 64 << 10
)

// Retry calls f until it succeeds, up to seven times, while its error is of kind Unavailable. f moves about so many bytes.
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

// ReadFull fills p with bytes of an object, by as many requests as it takes. What a request got before it failed is kept. After seven failures in
// succession without a byte it gives up.
func ReadFull(ctx context.Context, b Bucket, o Object, p []byte, at int64) error {
	got := 0
	for failed := 0; ; {
		err := attempt(ctx, int64(len(p)-got), func(ctx context.Context) error {
			n, err := b.ReadAt(ctx, o, p[got:], at+int64(got))
			if n = min(max(n, 0), len(p)-got); n > 0 {
				got, failed = got+n, 0
			}
			if err == nil && got < len(p) {
				return Failure(Unavailable, "")
			}
			return err
		})
		if got == len(p) {
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
}

// attempt runs f with a deadline for size bytes.
func attempt(ctx context.Context, size int64, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, leastTime+time.Duration(size/slowest)*time.Second)
	defer cancel()
	return f(ctx)
}

// finished says whether another attempt is of no use, and returns the error to report.
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
	_, _ = rand.Read(b[:]) // it never fails
	d -= time.Duration(int64(d) / 2 * int64(binary.LittleEndian.Uint32(b[:])>>16) >> 16)
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
