package hex

import (
	"encoding/hex"
	"testing"
)

// TestDecode compares Decode with the standard library's: every byte at every position, and every length.
func TestDecode(t *testing.T) {
	const digits = "00112233445566778899aAbBcCdDeEfF0123456789abcdefFEDCBA98"
	for n := range len(digits) + 1 {
		for at := range n {
			for c := range 256 {
				text := []byte(digits[:n])
				text[at] = byte(c)
				compare(t, text)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("57e193d7A9CC81b4027498b5"))
	f.Fuzz(compare)
}

func compare(t *testing.T, text []byte) {
	got, want := make([]byte, len(text)/2), make([]byte, len(text)/2)
	_, err := hex.Decode(want, text)
	for _, ok := range []bool{Decode(got, text), Decode(got, string(text))} {
		if ok != (err == nil) || ok && string(got) != string(want) {
			t.Fatalf("%q: %x, %v; the standard library says %x, %v", text, got, ok, want, err)
		}
	}
}
