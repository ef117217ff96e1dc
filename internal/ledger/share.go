package ledger

import (
	"errors"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// none is the text of an entry without a share of delta, or without a cap on shares.
const none = "0"

// parseShare reads a probability of failure exactly: a decimal of at least 0 and below 1. The empty text is 0.
func parseShare(text string) (*big.Rat, error) {
	d, err := calibrate.ParseDecimal(zeroIfEmpty(text))
	if err != nil {
		return nil, err
	}
	x := d.Rat()
	if x.Sign() < 0 || x.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, errShare
	}
	return x, nil
}

var errShare = errors.New("a share of delta must be at least 0 and below 1")

func zeroIfEmpty(text string) string {
	if text == "" {
		return none
	}
	return text
}

func emptyIfZero(text string) string {
	if text == none {
		return ""
	}
	return text
}
