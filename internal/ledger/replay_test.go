package ledger

import (
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"
)

// log is a Reader of entries whose chain is valid, whatever their contents.
type log struct{ entries []Entry }

func (l *log) add(kind Kind, schema int, body string) {
	head, _ := l.Last()
	e := Entry{Seq: head.Seq + 1, Schema: schema, Time: time.Unix(0, 0), Kind: kind, Body: []byte(body)}
	e.Hash = e.chain(head.Hash)
	l.entries = append(l.entries, e)
}

func (l *log) Last() (Head, error) {
	if len(l.entries) == 0 {
		return Head{}, nil
	}
	e := l.entries[len(l.entries)-1]
	return Head{e.Seq, e.Hash}, nil
}

func (l *log) Entries(from int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, e := range l.entries[from-1:] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

const (
	okBudget  = `{"account":{"adjacency":"add-remove","dataset":"d","unit":"row"},"delta":"1e-6","delta_cap":"0","epsilon":"1"}`
	okReserve = `{"account":{"adjacency":"add-remove","dataset":"d","unit":"row"},"delta_share":"0","dir":"/out","job":"j",` +
		`"mechanisms":[{"grid":"1","l2":"1","query":"q","sigma":"100","why":"w"}],"number":1,"params":{},"run":"a"}`
	okSeal     = `{"input":"","number":1,"release":"","run":"a"}`
	okStep     = `{"number":1,"run":"a"}`
	okRerender = `{"dir":"/other","job":"k","number":1,"rendering":"` + hex64 + `","release":"` + hex64 + `","run":"a"}`
	hex64      = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

type step struct {
	kind   Kind
	schema int
	body   string
}

// A log that no Book wrote is refused even if its chain is valid.
func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	budget, reserve := step{KindBudget, 1, okBudget}, step{KindReserve, 1, okReserve}
	seal, publish, release := step{KindSeal, 1, okSeal}, step{KindPublish, 1, okStep}, step{KindCancel, 1, okStep}
	rerender := step{KindRerender, 1, okRerender}
	replace := func(s step, field, value string) step {
		var body map[string]any
		if err := json.Unmarshal([]byte(s.body), &body); err != nil {
			t.Fatal(err)
		}
		body[field] = json.RawMessage(value)
		b, err := encode(body)
		if err != nil {
			t.Fatal(err)
		}
		return step{s.kind, s.schema, string(b)}
	}
	for name, c := range map[string]struct {
		steps []step
		want  error
	}{
		"a life":             {[]step{budget, reserve, seal, publish}, nil},
		"cancelled":          {[]step{budget, reserve, release, reserve}, nil},
		"newer schema":       {[]step{{KindBudget, Schema + 1, `{"new":1}`}}, ErrNewer},
		"delta cap":          {[]step{replace(budget, "delta_cap", `"1e-7"`)}, nil},
		"delta cap too high": {[]step{replace(budget, "delta_cap", `"1e-6"`)}, ErrCorrupt},
		"delta share":        {[]step{budget, replace(reserve, "delta_share", `"1e-9"`)}, nil},
		"delta share of 1":   {[]step{budget, replace(reserve, "delta_share", `"1"`)}, ErrCorrupt},
		"a period":           {[]step{replace(budget, "month", `{"delta":"1e-7","epsilon":"0.5"}`), reserve}, nil},
		"half a period":      {[]step{replace(budget, "day", `{"delta":"","epsilon":"0.5"}`)}, ErrCorrupt},
		"budget changed":     {[]step{budget, reserve, replace(budget, "epsilon", `"2"`)}, nil},
		"other neighbours": {[]step{replace(budget, "account", `{"adjacency":"replace-one","dataset":"d","unit":"row"}`),
			reserve}, nil},
		"schema 0":     {[]step{{KindBudget, 0, okBudget}}, ErrCorrupt},
		"unknown kind": {[]step{{"raise", 1, okBudget}}, ErrCorrupt},
		"unknown key":  {[]step{replace(budget, "more", "1")}, ErrCorrupt},
		"a tail":       {[]step{{KindBudget, 1, okBudget + "{}"}}, ErrCorrupt},
		"no budget":    {[]step{reserve}, ErrCorrupt},
		"bad budget":   {[]step{replace(budget, "epsilon", `"-1"`)}, ErrCorrupt},
		"bad number": {[]step{budget, replace(reserve, "mechanisms",
			`[{"grid":"1","l2":"one","query":"q","sigma":"1","why":""}]`)}, ErrCorrupt},
		"long number": {[]step{budget, replace(reserve, "mechanisms",
			`[{"grid":"1","l2":"1.0","query":"q","sigma":"1","why":""}]`)}, ErrCorrupt},
		"no noise": {[]step{budget, replace(reserve, "mechanisms",
			`[{"grid":"1","l2":"1","query":"q","sigma":"0","why":""}]`)}, ErrCorrupt},
		"reserved twice":        {[]step{budget, reserve, reserve}, ErrCorrupt},
		"a gap":                 {[]step{budget, replace(reserve, "number", "2")}, ErrCorrupt},
		"sealed first":          {[]step{budget, seal}, ErrCorrupt},
		"sealed twice":          {[]step{budget, reserve, seal, seal}, ErrCorrupt},
		"published first":       {[]step{budget, reserve, publish}, ErrCorrupt},
		"rerendered twice":      {[]step{budget, reserve, seal, publish, rerender, rerender}, nil},
		"rerendered first":      {[]step{budget, reserve, seal, rerender}, ErrCorrupt},
		"rerendered of another": {[]step{budget, reserve, seal, publish, replace(rerender, "run", `"b"`)}, ErrCorrupt},
		"derived, no digest":    {[]step{budget, reserve, seal, publish, replace(rerender, "release", `""`)}, ErrCorrupt},
		"rerendered nowhere":    {[]step{budget, reserve, seal, publish, replace(rerender, "dir", `"out"`)}, ErrCorrupt},
		"cancelled, sealed":     {[]step{budget, reserve, release, seal}, ErrCorrupt},
		"sealed, cancelled":     {[]step{budget, reserve, seal, release}, ErrCorrupt},
	} {
		l := &log{}
		for _, s := range c.steps {
			l.add(s.kind, s.schema, s.body)
		}
		if err := newState().catchUp(l, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestHash pins the format of the chain, because old ledgers must stay readable.
func TestHash(t *testing.T) {
	t.Parallel()
	e := Entry{Seq: 1, Schema: 1, Time: time.Unix(1700000000, 5), Kind: KindBudget, Body: []byte(okBudget)}
	if got, want := e.chain(Hash{1}).String(), "22c83419ccc1ff724ffdfb01b78e1a740f20216ac4296d4dac0149207ec7f3ee"; got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// Bodies are JSON with sorted keys and no spaces. Numbers are texts.
func TestCanonical(t *testing.T) {
	t.Parallel()
	b, err := decode[reserveBody](Entry{Body: []byte(okReserve)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.charge()
	if err != nil {
		t.Fatal(err)
	}
	got, err := encode(reserveOf(c))
	if err != nil || string(got) != okReserve {
		t.Errorf("%s (%v), want %s", got, err, okReserve)
	}
	var sorted any
	if err := json.Unmarshal(got, &sorted); err != nil {
		t.Fatal(err)
	}
	if anew, err := encode(sorted); err != nil || string(anew) != string(got) {
		t.Errorf("keys are not sorted: %s (%v)", got, err)
	}
}
