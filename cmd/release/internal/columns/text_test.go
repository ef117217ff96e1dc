package columns

import "testing"

func TestLineEnds(t *testing.T) {
	for text, want := range map[string]string{"a\r\nb\r\n": "CRLF", "a\r\nb\r": "CRLF", "a\nb\n": "LF", "a\rb\r": "CR",
		"a\nb\r\n": "mixed", "a\nb\rc\n": "mixed", "\"a\nb\",\"c\"\"\n\"\r\nd,\"\n\"\r\n": "CRLF",
		"\"a\r\nb\"\n": "LF", "a,b\r\nc,\"d\n": "CRLF", "5\" wide,b\nc\"\r\n": "mixed", "\"a\"\n\"b\"\r\n": "mixed"} {
		if got := lineEnds(text, '"', ','); got != want {
			t.Errorf("lineEnds(%q) = %s, want %s", text, got, want)
		}
	}
}
