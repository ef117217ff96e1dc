package mechanism_test

import (
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// mark is a value that is unlikely to occur as an address, a length or a count.
const mark = int64(0x7a5b3c1d2e4f6071)

func marked(tb testing.TB) mechanism.Exact {
	tb.Helper()
	e, err := mechanism.Hide(1, []int64{mark, -mark, mark})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// leaks reports whether a text or an encoding contains the mark.
func leaks(out []byte) bool {
	text := strings.ToLower(string(out))
	for _, base := range []int{2, 8, 10, 16} {
		if strings.Contains(text, strconv.FormatInt(mark, base)) {
			return true
		}
	}
	little, big := binary.LittleEndian.AppendUint64(nil, uint64(mark)), binary.BigEndian.AppendUint64(nil, uint64(mark))
	return bytes.Contains(out, little) || bytes.Contains(out, big)
}

// holders returns values that contain e: bare, behind pointers, in exported and unexported fields, and in containers.
func holders(e mechanism.Exact) []any {
	type open struct{ E mechanism.Exact }
	type closed struct{ e mechanism.Exact }
	type pointer struct{ e *mechanism.Exact }
	type embedded struct{ mechanism.Exact }
	return []any{
		e, &e, open{e}, &open{e}, closed{e}, &closed{e}, pointer{&e}, &pointer{&e}, embedded{e}, struct{ a any }{e},
		struct{ A any }{&e},
		[]mechanism.Exact{e}, [1]closed{{e}}, map[string]mechanism.Exact{"k": e}, map[string]*closed{"k": {e}},
		[]any{e}, reflect.ValueOf(e),
		fmt.Errorf("wrapped: %v", e), e.Choose, e.Cells, func() mechanism.Exact { return e },
	}
}

func TestFormatsDoNotLeak(t *testing.T) {
	if !leaks(fmt.Append(nil, struct{ c []int64 }{[]int64{mark}})) || !leaks(fmt.Appendf(nil, "%#X", []int64{mark})) {
		t.Fatal("the test does not see a leak")
	}
	for _, h := range holders(marked(t)) {
		for _, verb := range "vTtbcdoOqxXUeEfFgGspwkz!" {
			for _, flags := range []string{"", "+", "#", " ", "0", "-", "+#", "# ", "20.5", "#0100"} {
				format := "%" + flags + string(verb)
				if out := fmt.Appendf(nil, format, h); leaks(out) {
					t.Errorf("%s of %T leaks", format, h)
				}
			}
		}
		if leaks(fmt.Append(nil, h)) || leaks(fmt.Appendln(nil, h)) {
			t.Errorf("Print of %T leaks", h)
		}
	}
	if got := fmt.Sprint(marked(t)); got != "mechanism.Exact(3 cells)" {
		t.Errorf("printed as %q", got)
	}
	if got := fmt.Sprintf("%d", mechanism.Exact{}); got != "mechanism.Exact(0 cells)" {
		t.Errorf("the zero value is printed as %q", got)
	}
}

func TestLogsDoNotLeak(t *testing.T) {
	var out bytes.Buffer
	options := &slog.HandlerOptions{AddSource: true, Level: slog.LevelDebug}
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&out, options), slog.NewTextHandler(&out, options)} {
		for _, h := range holders(marked(t)) {
			log := slog.New(handler).With("with", h)
			log.InfoContext(context.Background(), "message", "value", h, slog.Group("group", slog.Any("value", h)))
		}
	}
	if out.Len() == 0 || leaks(out.Bytes()) {
		t.Errorf("slog wrote %d bytes, leaking or nothing", out.Len())
	}
}

// encoders convert a value to bytes.
var encoders = map[string]func(any) ([]byte, error){
	"json": json.Marshal,
	"xml":  xml.Marshal,
	"yaml": yaml.Marshal,
	"gob": func(x any) ([]byte, error) {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(x)
		return b.Bytes(), err
	},
	"template": func(x any) ([]byte, error) {
		var b bytes.Buffer
		err := template.Must(template.New("").Parse(`{{.}} {{printf "%#v %d" . .}} {{print .}}`)).Execute(&b, x)
		return b.Bytes(), err
	},
	"binary": func(x any) ([]byte, error) { return binary.Append(nil, binary.LittleEndian, x) },
}

func TestEncodersDoNotLeak(t *testing.T) {
	for name, encode := range encoders {
		for _, h := range holders(marked(t)) {
			if out, _ := safely(encode, h); leaks(out) {
				t.Errorf("%s of %T leaks", name, h)
			}
		}
	}
}

// safely returns the panic of an encoder that does not know a type as an error.
func safely(encode func(any) ([]byte, error), x any) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return encode(x)
}

func TestEncodersReturnAnError(t *testing.T) {
	e := marked(t)
	type holder struct{ E mechanism.Exact }
	type attribute struct {
		E mechanism.Exact `xml:"e,attr"`
	}
	for _, name := range []string{"json", "xml", "yaml", "gob", "binary"} {
		for _, x := range []any{e, &e, holder{e}, &holder{e}} {
			if out, err := safely(encoders[name], x); err == nil {
				t.Errorf("%s of %T: %q and no error", name, x, out)
			}
		}
	}
	if _, err := xml.Marshal(attribute{e}); !errors.Is(err, mechanism.ErrEncode) {
		t.Errorf("XML attribute: %v", err)
	}
	for name, marshal := range map[string]func() ([]byte, error){
		"text": e.MarshalText, "binary": e.MarshalBinary, "json": e.MarshalJSON, "gob": e.GobEncode,
	} {
		if out, err := marshal(); !errors.Is(err, mechanism.ErrEncode) || out != nil {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	if out, err := e.MarshalYAML(); !errors.Is(err, mechanism.ErrEncode) || out != nil {
		t.Errorf("yaml: %v, %v", out, err)
	}
	var _ encoding.TextMarshaler = e
}

// dump writes every number that reflection reaches through pointers, interfaces and unexported fields.
func dump(w io.Writer, v reflect.Value, depth int) {
	if depth > 12 || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		dump(w, v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			dump(w, v.Field(i), depth+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			dump(w, v.Index(i), depth+1)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			dump(w, it.Key(), depth+1)
			dump(w, it.Value(), depth+1)
		}
	default:
		_, _ = fmt.Fprintf(w, "%v ", v)
	}
}

func TestReflectionFindsNothing(t *testing.T) {
	var control bytes.Buffer
	dump(&control, reflect.ValueOf(struct{ p any }{&struct{ c []int64 }{[]int64{mark}}}), 0)
	if !leaks(control.Bytes()) {
		t.Fatal("the dump does not see unexported fields behind pointers")
	}
	for _, h := range holders(marked(t)) {
		var out bytes.Buffer
		dump(&out, reflect.ValueOf(h), 0)
		if leaks(out.Bytes()) {
			t.Errorf("reflection reads %T", h)
		}
	}
}

// A stream, which draws its noise again whenever it is read, does not show the keys and answers from which it draws.
func TestStreamsDoNotLeak(t *testing.T) {
	n := streamed(t, mechanism.Sparse{Cells: 1 << 21, At: []int{0, int(mark >> 43)},
		Answers: int128.Narrow([]int64{mark, -mark})})
	type closed struct{ n mechanism.Noisy }
	for _, h := range []any{n, &n, closed{n}, &closed{n}, []any{n}, n.Fill, n.Blocks} {
		var out bytes.Buffer
		dump(&out, reflect.ValueOf(h), 0)
		for _, format := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%p"} {
			_, _ = fmt.Fprintf(&out, format, h)
		}
		text, _ := safely(json.Marshal, h)
		if leaks(out.Bytes()) || leaks(text) {
			t.Errorf("%T leaks", h)
		}
	}
}

// A Noisy or an Exact cannot be decoded from bytes.
func TestDecodersForgeNothing(t *testing.T) {
	for _, text := range []string{`{"values":[1,2],"units":[1,2],"mechanism":{"Grid":1}}`, `{"Values":[1],"Units":[1]}`} {
		var n mechanism.Noisy
		if err := json.Unmarshal([]byte(text), &n); n.Len() != 0 { //nolint:staticcheck // that nothing decodes is what is shown
			t.Errorf("forged by JSON: %v", err)
		}
		var y mechanism.Noisy
		if err := yaml.Unmarshal([]byte(text), &y); y.Len() != 0 {
			t.Errorf("forged by YAML: %v", err)
		}
		var e mechanism.Exact
		if err := json.Unmarshal([]byte(text), &e); e.Cells() != 0 { //nolint:staticcheck // the same
			t.Errorf("forged by JSON: %v", err)
		}
	}
}
