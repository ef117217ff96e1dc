package denoise

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/internal/mechanism"
)

// Apply carries out steps in order on a vector, which may have been through other steps before. Its errors include
// those of [Check].
func Apply(ctx context.Context, n mechanism.Noisy, steps []Step) (mechanism.Noisy, error) {
	next, _, err := ApplyNoted(ctx, n, steps)
	return next, err
}

// ApplyNoted is [Apply], and also returns the notes of the steps on their choices. A note is a sentence of public
// facts, preceded by the name of its step.
func ApplyNoted(ctx context.Context, n mechanism.Noisy, steps []Step) (next mechanism.Noisy, notes []string,
	err error) {
	if err := checkOrder(append(n.Steps(), names(steps)...)); err != nil {
		return mechanism.Noisy{}, nil, err
	}
	for _, s := range steps {
		var said []string
		if own, ok := s.(step); ok {
			n, said, err = own.applyNoted(ctx, n)
		} else {
			n, err = s.Apply(ctx, n)
		}
		if err != nil {
			return mechanism.Noisy{}, nil, fmt.Errorf("denoise %s: %w", s.Name(), err)
		}
		for _, text := range said {
			notes = append(notes, s.Name()+": "+text)
		}
	}
	return n, notes, nil
}
