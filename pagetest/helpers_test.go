package pagetest

import (
	"context"

	"github.com/chromedp/cdproto/runtime"
)

type ctx = context.Context

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
