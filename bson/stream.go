package bson

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// Encoder writes a sequence of documents. It is not safe for concurrent use.
type Encoder struct {
	w    io.Writer
	opts []*MarshalOptions
	buf  []byte
}

// NewEncoder returns an encoder that writes to w, with one Write for each document.
func NewEncoder(w io.Writer, opts ...*MarshalOptions) *Encoder {
	return &Encoder{w: w, opts: opts}
}

// Encode writes v as [Marshal] encodes it. Nothing is written if it cannot be encoded.
func (e *Encoder) Encode(v any) error {
	out, err := MarshalAppend(e.buf[:0], v, e.opts...)
	if err != nil {
		return err
	}
	if cap(out) <= maxKeptBuffer {
		e.buf = out
	}
	_, err = e.w.Write(out)
	return err
}

// Decoder reads a sequence of documents. It is not safe for concurrent use.
type Decoder struct {
	r    io.Reader
	opts []*UnmarshalOptions
	buf  []byte
}

// NewDecoder returns a decoder that reads from r and never reads past the end of a document. It calls Read at least
// twice for each document, so wrap a file or socket in a bufio.Reader.
func NewDecoder(r io.Reader, opts ...*UnmarshalOptions) *Decoder {
	return &Decoder{r: r, opts: opts}
}

// Decode reads the next document and decodes it into v as [Unmarshal] does. It returns io.EOF when there are no more
// documents, and io.ErrUnexpectedEOF when one is cut off. After a document that cannot be decoded, Decode continues
// with the next one, unless the document's length is impossible.
func (d *Decoder) Decode(v any) error {
	doc, err := d.next()
	if err != nil {
		return err
	}
	return Unmarshal(doc, v, d.opts...)
}

// next reads a document into the buffer. The buffer grows with what arrives, not with what the length promises.
func (d *Decoder) next() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(d.r, head[:]); err != nil {
		return nil, err
	}
	size := int(int32(binary.LittleEndian.Uint32(head[:])))
	if size < 5 {
		return nil, &DecodeError{Err: wire.Malformedf("the document states a length of %d bytes", size)}
	}
	buf := append(d.buf[:0], head[:]...)
	for len(buf) < size {
		n := len(buf)
		step := min(size-n, max(n, firstRead))
		buf = slices.Grow(buf, step)[:n+step]
		if _, err := io.ReadFull(d.r, buf[n:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	if cap(buf) <= maxKeptBuffer {
		d.buf = buf
	}
	return buf, nil
}

// firstRead is how much of a document is read before more memory is asked for.
const firstRead = 64 << 10
