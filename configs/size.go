package configs

import (
	"errors"
	"math/big"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// errSize explains how to write a size.
var errSize = errors.New("a size is a positive number and a unit: B, KB, MB, GB, TB (powers of 1000) or KiB, MiB, " +
	"GiB, TiB (of 1024), such as 1GiB")

// sizeUnits are the units of a size, in bytes.
var sizeUnits = map[string]int64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20,
	"gib": 1 << 30, "tib": 1 << 40,
}

// ParseSize parses an amount of memory, such as 1GiB, 1.5 GB or 500000000. It returns whole bytes, rounded down. A size
// must be at least one byte and less than 2^62.
func ParseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "KMGTBikmgtbI ")
	unit, known := sizeUnits[strings.ToLower(strings.TrimSpace(text[len(number):]))]
	r, ok := Scalar(number).number()
	if !ok || !known {
		return 0, errSize
	}
	r.Mul(r, new(big.Rat).SetInt64(unit))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if n.Sign() <= 0 || n.BitLen() > 62 {
		return 0, errSize
	}
	return n.Int64(), nil
}

// Memory returns the job's memory_limit in bytes; 0 if the job has none.
func (j *Job) Memory() int64 {
	n, err := ParseSize(string(j.MemoryLimit))
	if err != nil {
		return 0
	}
	return n
}

func (c *checker) memory(at *yamltree.Path) {
	if !c.isValid(at) {
		return
	}
	if _, err := ParseSize(string(c.job.MemoryLimit)); err != nil {
		c.bad(at, CodeBadValue, c.Show(at, string(c.job.MemoryLimit))+" is not a size",
			"write a number and a unit, such as 1GiB or 500MB")
	}
}
