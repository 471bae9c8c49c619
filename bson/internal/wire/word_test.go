package wire

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCopiesOfEveryLength puts each kind of byte at each position of texts of every length.
func TestCopiesOfEveryLength(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 256, 257, 300} {
		text := strings.Repeat("abcdefg", 50)[:n]
		compareCopies(t, []byte(text))
		for i := range n {
			for _, c := range []byte{0, 1, 0x7F, 0x80, 0xC3, 0xFF} {
				b := []byte(text)
				b[i] = c
				compareCopies(t, b)
			}
		}
	}
}

func FuzzCopies(f *testing.F) {
	f.Add([]byte("name"))
	f.Add([]byte("a longer text that is ASCII, and one that is not: é"))
	f.Fuzz(compareCopies)
}

// compareCopies compares the functions that work on words with plain code for bytes.
func compareCopies(t *testing.T, text []byte) {
	n := len(text)
	out, valid := AppendChecked([]byte("before"), string(text))
	want := append(AppendInt32([]byte("before"), int32(n+1)), text...)
	if !bytes.Equal(out, append(want, 0)) || valid != utf8.Valid(text) || valid != ValidText(text) {
		t.Fatalf("AppendChecked(%q) = %q, %v", text, out, valid)
	}
	isPlain := true
	for _, c := range text {
		isPlain = isPlain && c != 0 && c < utf8.RuneSelf
	}
	to := make([]byte, n+WordRoom)
	plain := false
	if n < 8 {
		w := ShortWord(text)
		plain = IsPlainWord(w, n)
		binary.LittleEndian.PutUint64(to, w)
	} else {
		plain = CopyKey(to, text)
		first, last := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[n-8:])
		if n <= 16 && plain != ArePlainWords(first, last) {
			t.Fatalf("CopyKey and ArePlainWords disagree about %q: %v", text, plain)
		}
	}
	if !bytes.Equal(to[:n], text) || plain && !isPlain {
		t.Fatalf("the key %q is copied as %q, plain: %v", text, to[:n], plain)
	}
	clear(to)
	if seen := CopyText(to, text); !bytes.Equal(to[:n], text) || (seen&HighBits == 0) != isASCII(text) {
		t.Fatalf("CopyText(%q) = %q, %x", text, to[:n], seen)
	}
}

func TestKeyEndOfEveryLength(t *testing.T) {
	for n := range 40 {
		for _, c := range []byte{1, 0x7F, 0x80, 0xC3} {
			for at := range max(n, 1) {
				b := bytes.Repeat([]byte("k"), n)
				if n > 0 {
					b[at] = c
				}
				compareKeyEnd(t, b)
				compareKeyEnd(t, append(b, 0))
				compareKeyEnd(t, append(append(b, 0), "\x01\x00\x80behind it"...))
			}
		}
	}
}

func FuzzKeyEnd(f *testing.F) {
	f.Add([]byte("name\x00\x02\x00\x00\x00a\x00"))
	f.Add([]byte("a longer name\x00\x01"))
	f.Fuzz(compareKeyEnd)
}

// compareKeyEnd compares KeyEnd and its variants with a search byte by byte.
func compareKeyEnd(t *testing.T, b []byte) {
	for i := range len(b) + 1 {
		want, text := bytes.IndexByte(b[i:], 0), b[i:]
		if want >= 0 {
			text = text[:want]
			want += i
		}
		if got := KeyEnd(b, i); got != want {
			t.Fatalf("KeyEnd(%q, %d) = %d, want %d", b, i, got, want)
		}
		if got := PlainKeyEnd(b, i); got >= 0 && (got != want || !isASCII(text)) {
			t.Fatalf("PlainKeyEnd(%q, %d) = %d, the key ends at %d", b, i, got, want)
		}
		if got, valid := TextKeyEnd(b, i); got != want || valid != (want >= 0 && utf8.Valid(text)) {
			t.Fatalf("TextKeyEnd(%q, %d) = %d, %v", b, i, got, valid)
		}
	}
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
