package bson

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/specdrivers/onion/bson/internal/wire"
)

func TestStreams(t *testing.T) {
	var out bytes.Buffer
	enc := NewEncoder(&out, &MarshalOptions{IntMinSize: true})
	long := strings.Repeat("x", 3*firstRead)
	for _, doc := range []any{Doc("a", int64(1)), M{}, struct{ S string }{long}} {
		if err := enc.Encode(doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := enc.Encode(Doc("a", func() {})); err == nil {
		t.Error("a function was encoded")
	}
	for name, wrap := range map[string]func(io.Reader) io.Reader{"as it is": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader} {
		t.Run(name, func(t *testing.T) {
			dec := NewDecoder(wrap(bytes.NewReader(out.Bytes())), &UnmarshalOptions{DefaultDocument: DocumentM})
			var first, second any
			var third struct{ S string }
			if err := errors.Join(dec.Decode(&first), dec.Decode(&second), dec.Decode(&third)); err != nil {
				t.Fatal(err)
			}
			if m, ok := first.(M); !ok || m["a"] != int32(1) || third.S != long {
				t.Errorf("got %v and a string of %d bytes", first, len(third.S))
			}
			if err := dec.Decode(&third); err != io.EOF {
				t.Errorf("at the end: %v, want EOF", err)
			}
		})
	}
}

func TestDecoderErrors(t *testing.T) {
	failure := errors.New("broken pipe")
	tests := map[string]struct {
		in   io.Reader
		want error
	}{
		"cut off in the length":   {strings.NewReader("\x05\x00"), io.ErrUnexpectedEOF},
		"cut off in the document": {strings.NewReader("\x06\x00\x00\x00\x00"), io.ErrUnexpectedEOF},
		"nothing after length":    {strings.NewReader("\x06\x00\x00\x00"), io.ErrUnexpectedEOF},
		"impossible length":       {strings.NewReader("\x04\x00\x00\x00\x00"), wire.ErrMalformed},
		"negative length":         {strings.NewReader("\xff\xff\xff\xff\x00"), wire.ErrMalformed},
		"promises two gigabytes":  {strings.NewReader("\xff\xff\xff\x7f\x00"), io.ErrUnexpectedEOF},
		"reader fails":            {iotest.ErrReader(failure), failure},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := NewDecoder(test.in).Decode(new(D)); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		})
	}
	dec := NewDecoder(strings.NewReader("\x05\x00\x00\x00\x01\x05\x00\x00\x00\x00"))
	if err := dec.Decode(new(D)); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("error %v, want one about malformed BSON", err)
	}
	if err := dec.Decode(new(D)); err != nil {
		t.Errorf("the document after it: %v", err)
	}
}

// An encoder reuses its buffer for the next document, unless the buffer has grown too large.
func TestEncoderReusesItsBuffer(t *testing.T) {
	e := NewEncoder(io.Discard)
	for _, tt := range []struct{ size, atLeast, atMost int }{
		{100 << 10, 100 << 10, maxKeptBuffer}, {2 * maxKeptBuffer, 100 << 10, maxKeptBuffer}, {10, 100 << 10, maxKeptBuffer},
	} {
		if err := e.Encode(Doc("a", string(make([]byte, tt.size)))); err != nil {
			t.Fatal(err)
		}
		if kept := cap(e.buf); kept < tt.atLeast || kept > tt.atMost {
			t.Errorf("after %d bytes it keeps memory for %d", tt.size, kept)
		}
	}
}
