package denoise

import (
	"context"
	"errors"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/pipeline"
)

type denoiseFlags struct {
	input, query, value, sigma string
	edges, shape               string
	out, risk                  string
	workers                    int
	steps                      stepFlags
}

// denoising is the console to which the verb denoise writes. The verb and its subcommands are its methods.
type denoising struct{ *console.Console }

// denoiseFailed gives an error of package denoise an exit code: the code for a wrong command line if the flags alone
// are wrong, otherwise the code for wrong input.
func denoiseFailed(err error) error {
	var e *denoise.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &e):
		return console.Usagef("%s: %s", e.Code, e.Error())
	}
	return &pipeline.Error{Cause: pipeline.CauseInput, Code: "denoise", Message: "the values can't be denoised", Err: err}
}

// stepFlags collects the values of --method and --set in the order in which they are given.
type stepFlags struct {
	list []stepFlag
	// early holds each --set that comes before the first --method; they are parameters of that method.
	early []string
}

// stepFlag is one step: a method and its parameters, as on the command line.
type stepFlag struct {
	method string
	args   denoise.Args
}
