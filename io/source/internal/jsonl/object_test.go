package jsonl

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// membersOf returns the members of a line by name, each as written, or nil if the line is no object.
func membersOf(line string) map[string]string {
	var names []byte
	if !json.Valid([]byte(line)) {
		return nil
	}
	members, ok := object([]byte(line), nil, &names, func([]byte) bool { return true })
	if !ok {
		return nil
	}
	out := map[string]string{}
	for _, m := range members {
		out[string(m.name)] = string(m.raw)
	}
	return out
}

// Objects have the members that encoding/json finds, in all spellings.
func TestObjectsAsEncodingJSON(t *testing.T) {
	for _, line := range []string{
		`{}`, ` { } `, `{"a":1}`, "\t{ \"a\" : [ 1 , { \"b\" : \"]}\\\"\" } ] ,\"c\":{\"d\":{}} , " +
			"\"e\":-1.5e+7,\"f\":true,\"g\":null}\r", `{"a":1,"b":2,"a":"3"}`,
		`{"":"","\u0061\n\/\\\"":"x","é\ud83d\ude00":"é"}`, `[1]`, `null`, `"{}"`, `1`, `{"a":1`, `{"a":1}{}`, ``, `{"a":[[[]],{}],"b":[]}`,
	} {
		var want map[string]json.RawMessage
		valid := json.Unmarshal([]byte(line), &want) == nil && want != nil
		got := membersOf(line)
		if valid != (got != nil) || len(got) != len(want) {
			t.Errorf("%s: %q, want %q", line, got, want)
			continue
		}
		for name, raw := range want {
			if got[name] != string(raw) {
				t.Errorf("%s: member %q: %q, want %q", line, name, got[name], raw)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		leaf := rapid.SampledFrom([]any{nil, true, 1.5, "", "a\"\\]},{", "é\U0001F600\u2028", -3e300})
		var value *rapid.Generator[any]
		value = rapid.Custom(func(t *rapid.T) any {
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				return rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "list")
			case 1:
				return rapid.MapOfN(rapid.StringMatching(`[a"\\{}é]{0,3}`), rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "object")
			}
			return leaf.Draw(t, "leaf")
		})
		text, err := json.Marshal(map[string]any{"x": value.Draw(t, "x"), "y": value.Draw(t, "y"), "z\"": value.Draw(t, "z")})
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		for name, raw := range membersOf(string(text)) {
			got[name] = json.RawMessage(raw)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %q, want %q", text, got, want)
		}
	})
}

// A string is the text that encoding/json reads, if that loses nothing. Two different sequences of 16-bit units are two
// texts, and a string that is not valid UTF-8 has no value.
func TestStringsAreInjective(t *testing.T) {
	unit := rapid.SampledFrom([]uint16{'a', '"', '\\', '\n', 0, 0xE9, 0xD800, 0xD801, 0xDBFF, 0xDC00, 0xDFFF, 0xFFFD, 0xFEFF})
	write := func(t *rapid.T, units []uint16) string {
		var b strings.Builder
		b.WriteByte('"')
		for i, u := range units {
			if u >= 0x20 && u != '"' && u != '\\' && !utf16.IsSurrogate(rune(u)) && rapid.Bool().Draw(t, "as it is") {
				b.WriteRune(rune(u))
				continue
			}
			short := map[uint16]string{'"': `\"`, '\\': `\\`, '\n': `\n`}[u]
			if short == "" || i%2 == 0 {
				short = `\u` + string("0123456789abcdef"[u>>12]) + string("0123456789abcdef"[u>>8&15]) + string("0123456789ABCDEF"[u>>4&15]) + string("0123456789ABCDEF"[u&15])
			}
			b.WriteString(short)
		}
		return b.String() + `"`
	}
	rapid.Check(t, func(t *rapid.T) {
		var texts, quoted [2]string
		var units [2][]uint16
		for i := range texts {
			units[i] = rapid.SliceOfN(unit, 0, 4).Draw(t, "units")
			quoted[i] = write(t, units[i])
			text, ok := appendString(nil, []byte(quoted[i]))
			if !ok || !json.Valid([]byte(quoted[i])) {
				t.Fatalf("%s is no string", quoted[i])
			}
			texts[i] = string(text)
			var want string
			if err := json.Unmarshal([]byte(quoted[i]), &want); err != nil {
				t.Fatal(err)
			}
			if !strings.ContainsRune(want, '\uFFFD') && texts[i] != want {
				t.Fatalf("%s: %q, want %q", quoted[i], texts[i], want)
			}
		}
		if reflect.DeepEqual(append([]uint16{}, units[0]...), append([]uint16{}, units[1]...)) != (texts[0] == texts[1]) {
			t.Fatalf("%s is %q, %s is %q", quoted[0], texts[0], quoted[1], texts[1])
		}
	})
	for _, bad := range []string{"\"\xff\"", "\"\xfe\"", "\"a\xed\xa0\x80\"", "\"\xc0\x80\""} {
		if _, ok := appendString(nil, []byte(bad)); ok {
			t.Errorf("%q is a string", bad)
		}
	}
}

// FuzzObject checks that the walk accepts any valid line of JSON.
func FuzzObject(f *testing.F) {
	for _, line := range []string{`{"a":{"b":[1,"]"]},"c":"\ud800\udc00\u0000"}`, `{"\\":"\"","":-0.1e9 }`, `[]`, "{\"\xff\":1}"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal([]byte(line), &want) == nil && want != nil
		if got := membersOf(line); valid != (got != nil) || len(got) > len(want) {
			if !strings.Contains(line, `\u`) && strings.ToValidUTF8(line, "") == line {
				t.Errorf("%q: %q, want %q", line, got, want)
			}
		}
	})
}
