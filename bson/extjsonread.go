package bson

import (
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/extjson"
	"github.com/specdrivers/onion/bson/internal/wire"
)

// textReader reads extended JSON into a D without making BSON of it first. It gives up at the first mistake, without an
// error: UnmarshalExtJSON then starts again through BSON, and the error comes from there. So each error has one origin.
type textReader struct {
	src    []byte // belongs to the values: keys and strings point into it
	pos    int
	format extjson.Format
	d      *decoder
	elems  []E   // of the documents that are being read
	items  []any // of the arrays that are being read
	most   int   // the greatest length of elems and items so far

	others extjson.Reader

	free []byte // room for binary data, and for BSON of values in unusual forms, which then belongs to them
	used int    // room that values took
	last int    // room that the values of the text before took
}

var textReaders = sync.Pool{New: func() any { return new(textReader) }}

// readText reads an object into target. It reports false, and leaves target as it is, if there is an error.
func readText(text []byte, canonical bool, target *D) bool {
	r := textReaders.Get().(*textReader)
	r.src, r.pos, r.format = wire.Clone(text), 0, formatOf(canonical)
	r.d = newDecoder(r.src, nil)
	out, ok := D(nil), false
	if r.skipSpace() == '{' {
		out, ok = r.readDocument(DefaultMaxDepth, false)
	}
	if ok = ok && r.skipSpace() == 0 && r.pos == len(r.src); ok {
		*target = out
	}
	r.release()
	return ok
}

// release forgets what belongs to the values.
func (r *textReader) release() {
	r.d.release()
	clear(r.elems[:min(r.most, cap(r.elems))])
	clear(r.items[:min(r.most, cap(r.items))])
	*r = textReader{elems: keepStack(r.elems), items: keepStack(r.items), others: r.others, last: r.used}
	textReaders.Put(r)
}

// skipSpace moves to the next byte that is not white space and returns it, 0 at the end of the text.
func (r *textReader) skipSpace() byte {
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		r.pos++
	}
	return 0
}

// skipByte moves past c, and the white space before it, if c comes next. It reports whether it did.
func (r *textReader) skipByte(c byte) bool {
	if r.skipSpace() != c {
		return false
	}
	r.pos++
	return true
}

// readPlainText reads a string without escapes. It reports false, and does not move, if there is none.
func (r *textReader) readPlainText() (string, bool) {
	if r.skipSpace() != '"' {
		return "", false
	}
	start := r.pos + 1
	end, seen := extjson.ScanText(r.src, start)
	text := r.src[start:end]
	if end == len(r.src) || r.src[end] != '"' || seen&wire.HighBits != 0 && !utf8.Valid(text) {
		return "", false
	}
	r.pos = end + 1
	return wire.AliasString(text), true
}

// readDocument reads an object. Extended JSON, "Parsers": one that is embedded must not have the key of a wrapper.
func (r *textReader) readDocument(depth int, embedded bool) (D, bool) {
	if depth <= 0 {
		return nil, false
	}
	r.pos++
	mark := len(r.elems)
	for more := !r.skipByte('}'); more; {
		key, ok := r.readPlainText()
		if !ok || embedded && len(key) > 0 && key[0] == '$' || !r.skipByte(':') {
			return nil, false
		}
		v, ok := r.readAny(depth - 1)
		if !ok {
			return nil, false
		}
		r.elems = append(growByDoubling(r.elems), E{Key: key, Value: v})
		more = r.skipByte(',')
		if !more && !r.skipByte('}') {
			return nil, false
		}
	}
	r.most = max(r.most, len(r.elems))
	out := r.d.boxes.elems.Take(len(r.elems)-mark, &r.d.boxes.limit)
	copy(out, r.elems[mark:])
	r.elems = r.elems[:mark]
	return D(out), true
}

func (r *textReader) readArray(depth int) (A, bool) {
	if depth <= 0 {
		return nil, false
	}
	r.pos++
	mark := len(r.items)
	for more := !r.skipByte(']'); more; {
		v, ok := r.readAny(depth - 1)
		if !ok {
			return nil, false
		}
		r.items = append(growByDoubling(r.items), v)
		more = r.skipByte(',')
		if !more && !r.skipByte(']') {
			return nil, false
		}
	}
	r.most = max(r.most, len(r.items))
	out := r.d.boxes.items.Take(len(r.items)-mark, &r.d.boxes.limit)
	copy(out, r.items[mark:])
	r.items = r.items[:mark]
	return A(out), true
}

// readAny reads any value, of at most depth levels.
func (r *textReader) readAny(depth int) (any, bool) {
	boxes := &r.d.boxes
	switch r.skipSpace() {
	case '"':
		if text, ok := r.readPlainText(); ok {
			return makeAny(wordString, boxes.strings.Put(text, &boxes.limit)), true
		}
	case '{':
		if r.mayBeWrapper() {
			if v, ok := r.readWrapper(); ok {
				return v, true
			}
			return r.readThroughBSON(depth)
		}
		v, ok := r.readDocument(depth, true)
		return makeAny(wordD, boxes.ds.Put(v, &boxes.limit)), ok
	case '[':
		v, ok := r.readArray(depth)
		return makeAny(wordA, boxes.as.Put(v, &boxes.limit)), ok
	case 't':
		return true, r.skipWord("true")
	case 'f':
		return false, r.skipWord("false")
	case 'n':
		return nil, r.skipWord("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if r.format != extjson.Canonical {
			if v, ok := r.readBareInteger(); ok {
				return v, true
			}
			if v, ok := r.readBareDouble(); ok {
				return v, true
			}
		}
	}
	return r.readThroughBSON(depth)
}

// skipWord moves past a text if that comes next, and reports whether it did.
func (r *textReader) skipWord(text string) bool {
	end := r.pos + len(text)
	if end > len(r.src) || string(r.src[r.pos:end]) != text {
		return false
	}
	r.pos = end
	return true
}

// readThroughBSON is any for the values that are less common, and for those with a mistake.
func (r *textReader) readThroughBSON(depth int) (any, bool) {
	value, t, end, ok := r.others.Next(r.makeRoom(leastRoom), r.src, r.pos, r.format, depth)
	if !ok {
		return nil, false
	}
	r.pos = end
	r.take(value)
	d := r.d
	d.root, d.owned, d.depth = value, true, depth
	v, err := d.readAny(t, value)
	return v, err == nil
}

// leastRoom is the least room that room makes.
const leastRoom = 64

// makeRoom returns memory for at least n bytes. New memory is as large as all the room that the previous text took,
// because successive texts tend to look alike.
func (r *textReader) makeRoom(n int) []byte {
	if r.free == nil || cap(r.free) < n {
		want := r.last - r.used
		if want <= 0 {
			want = r.used
		}
		r.free = make([]byte, 0, max(min(want, len(r.src)-r.pos), n, leastRoom))
	}
	return r.free
}

// take gives the part of the room that value fills to the value, for good.
func (r *textReader) take(value []byte) { r.free, r.used = value[len(value):], r.used+len(value) }

// readBareInteger reads an integer without quotes, which becomes the smallest type that holds it. It reports false, and
// does not move, if there is none, or one of many digits.
func (r *textReader) readBareInteger() (any, bool) {
	const mostDigits = 18 // which fit into 64 bits
	digits, negative := r.src[r.pos:], r.src[r.pos] == '-'
	if negative {
		digits = digits[1:]
	}
	i, n := 0, int64(0)
	for ; i < len(digits) && i <= mostDigits && '0' <= digits[i] && digits[i] <= '9'; i++ {
		n = n*10 + int64(digits[i]-'0')
	}
	if i == 0 || i > mostDigits || i > 1 && digits[0] == '0' || i < len(digits) && (digits[i] == '.' || digits[i]|0x20 == 'e') {
		return nil, false
	}
	r.pos = len(r.src) - len(digits) + i
	if negative {
		n = -n
	}
	if n == int64(int32(n)) {
		return makeAny(wordInt32, r.d.boxes.int32s.Put(int32(n), &r.d.boxes.limit)), true
	}
	return makeAny(wordInt64, r.d.boxes.int64s.Put(n, &r.d.boxes.limit)), true
}

// readBareDouble reads a number without quotes that has a fraction or an exponent. It reports false, and does not move,
// if there is none.
func (r *textReader) readBareDouble() (any, bool) {
	end, integer, ok := extjson.ScanNumber(r.src, r.pos)
	if !ok || integer {
		return nil, false
	}
	f, err := strconv.ParseFloat(wire.AliasString(r.src[r.pos:end]), 64)
	if err != nil {
		return nil, false
	}
	r.pos = end
	return makeAny(wordFloat64, r.d.boxes.float64s.Put(f, &r.d.boxes.limit)), true
}
