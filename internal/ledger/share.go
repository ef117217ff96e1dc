package ledger

import (
	"cmp"
	"errors"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
)

// noShare is the text that entries hold for a DeltaShare or a DeltaCap that is not set.
const noShare = "0"

// parseShare parses a probability exactly: a decimal of at least 0 and below 1. The empty text is 0.
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

func zeroIfEmpty(text string) string { return cmp.Or(text, noShare) }

func emptyIfZero(text string) string {
	if text == noShare {
		return ""
	}
	return text
}
