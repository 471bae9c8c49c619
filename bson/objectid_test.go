package bson

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson/internal/hex"
)

func TestObjectIDTimestampIsUnsigned(t *testing.T) {
	// ObjectID, "Test Plan".
	tests := []struct {
		seconds uint32
		want    string
	}{
		{0x00000000, "1970-01-01T00:00:00Z"},
		{0x7FFFFFFF, "2038-01-19T03:14:07Z"},
		{0x80000000, "2038-01-19T03:14:08Z"},
		{0xFFFFFFFF, "2106-02-07T06:28:15Z"},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			var id ObjectID
			binary.BigEndian.PutUint32(id[:], tt.seconds)
			if got := id.Timestamp().Format(time.RFC3339); got != tt.want {
				t.Errorf("Timestamp() = %s, want %s", got, tt.want)
			}
			made := NewObjectIDFromTimestamp(id.Timestamp())
			if got := binary.BigEndian.Uint32(made[:4]); got != tt.seconds {
				t.Errorf("NewObjectIDFromTimestamp wrote %#x, want %#x", got, tt.seconds)
			}
		})
	}
}

func TestObjectIDCounterWraps(t *testing.T) {
	var s objectIDSource
	s.next(time.Now())
	s.counter.Store(0xFFFFFE)
	want := []string{"ffffff", "000000", "000001"}
	for _, w := range want {
		id := s.next(time.Now())
		if got := string(hex.Append(nil, id[9:])); got != w {
			t.Errorf("counter = %s, want %s", got, w)
		}
	}
	s.counter.Store(0xFFFFFFFF) // the 32-bit counter behind the 24 visible bits wraps too
	if id := s.next(time.Now()); id[9]|id[10]|id[11] != 0 {
		t.Errorf("counter = %x after the 32-bit wrap, want zero", id[9:])
	}
}

func TestObjectIDSourcesDiffer(t *testing.T) {
	now := time.Now()
	var a, b objectIDSource
	x, y, z := a.next(now), b.next(now), a.next(now)
	if [5]byte(x[4:9]) == [5]byte(y[4:9]) {
		t.Errorf("two processes share the random value %x", x[4:9])
	}
	if [9]byte(x[:9]) != [9]byte(z[:9]) {
		t.Errorf("one process changed its prefix from %x to %x", x[:9], z[:9])
	}
}

func TestNewObjectIDIsUniqueUnderConcurrency(t *testing.T) {
	const workers, each = 32, 5000
	ids := make([][]ObjectID, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				ids[w] = append(ids[w], NewObjectID())
			}
		})
	}
	wg.Wait()
	seen := make(map[ObjectID]bool, workers*each)
	for _, list := range ids {
		for _, id := range list {
			if seen[id] {
				t.Fatalf("%s was generated twice", id)
			}
			seen[id] = true
		}
	}
}

func TestObjectIDFromHex(t *testing.T) {
	want := ObjectID{0x57, 0xe1, 0x93, 0xd7, 0xa9, 0xcc, 0x81, 0xb4, 0x02, 0x74, 0x98, 0xb5}
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"lower case", "57e193d7a9cc81b4027498b5", true},
		{"upper case", "57E193D7A9CC81B4027498B5", true},
		{"empty", "", false},
		{"short", "57e193d7a9cc81b4027498b", false},
		{"long", "57e193d7a9cc81b4027498b5a", false},
		{"not hexadecimal in the high digit", "57e193d7a9cc81b40274g8b5", false},
		{"not hexadecimal in the low digit", "57e193d7a9cc81b40274 8b5z"[:24], false},
		{"multi-byte", "57e193d7a9cc81b4027498é", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ObjectIDFromHex(tt.in)
			switch {
			case tt.ok && (err != nil || got != want):
				t.Errorf("got %v, %v, want %v", got, err, want)
			case !tt.ok && !errors.Is(err, ErrInvalidHex):
				t.Errorf("got %v, %v, want ErrInvalidHex", got, err)
			}
		})
	}
	if got := want.Hex(); got != "57e193d7a9cc81b4027498b5" {
		t.Errorf("Hex() = %s", got)
	}
	if got := want.String(); got != `ObjectID("57e193d7a9cc81b4027498b5")` {
		t.Errorf("String() = %s", got)
	}
}

func TestObjectIDJSON(t *testing.T) {
	id := NewObjectID()
	hex := id.Hex()
	out, err := json.Marshal(map[ObjectID]ObjectID{id: id})
	if err != nil || string(out) != `{"`+hex+`":"`+hex+`"}` {
		t.Fatalf("Marshal = %s, %v", out, err)
	}
	tests := []struct {
		name, in string
		want     ObjectID
		ok       bool
	}{
		{"string", `"` + hex + `"`, id, true},
		{"extended", `{ "$oid" : "` + hex + `" }`, id, true},
		{"empty string", `""`, NilObjectID, true},
		{"null leaves the value alone", `null`, ObjectID{1}, true},
		{"number", `7`, ObjectID{1}, false},
		{"other key", `{"$uid":"` + hex + `"}`, ObjectID{1}, false},
		{"second key", `{"$oid":"` + hex + `","a":"b"}`, ObjectID{1}, false},
		{"short", `"57"`, ObjectID{1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ObjectID{1}
			err := json.Unmarshal([]byte(tt.in), &got)
			if (err == nil) != tt.ok || got != tt.want {
				t.Errorf("got %v, %v, want %v, ok %t", got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestObjectIDSQL(t *testing.T) {
	id := NewObjectID()
	if v, err := id.Value(); err != nil || v != id.Hex() {
		t.Errorf("Value() = %v, %v", v, err)
	}
	if v, err := NilObjectID.Value(); err != nil || v != nil {
		t.Errorf("Value() of the nil identifier = %v, %v", v, err)
	}
	tests := []struct {
		name string
		src  any
		want ObjectID
		ok   bool
	}{
		{"string", id.Hex(), id, true},
		{"text bytes", []byte(id.Hex()), id, true},
		{"raw bytes", id[:], id, true},
		{"null", nil, NilObjectID, true},
		{"number", int64(1), ObjectID{1}, false},
		{"short", "57", ObjectID{1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ObjectID{1}
			if err := got.Scan(tt.src); (err == nil) != tt.ok || got != tt.want {
				t.Errorf("got %v, %v, want %v, ok %t", got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestObjectIDHexAllocates(t *testing.T) {
	id, buf := NewObjectID(), make([]byte, 0, 24)
	if n := testing.AllocsPerRun(100, func() { buf = id.AppendHex(buf[:0]) }); n != 0 {
		t.Errorf("AppendHex allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { NewObjectID() }); n != 0 {
		t.Errorf("NewObjectID allocates %v times", n)
	}
	hex := id.Hex()
	if n := testing.AllocsPerRun(100, func() { id, _ = ObjectIDFromHex(hex) }); n != 0 {
		t.Errorf("ObjectIDFromHex allocates %v times", n)
	}
}

// ObjectID, "Counter": it starts at a random value. Four random counters all start at zero once in 2^96 runs.
func TestObjectIDCounterStartsAtRandom(t *testing.T) {
	begins := 0
	for range 4 {
		var s objectIDSource
		s.seed()
		n := s.counter.Load()
		if n > 0xFFFFFF {
			t.Errorf("the counter begins at %d", n)
		}
		if n > 0 {
			begins++
		}
	}
	if begins == 0 {
		t.Error("every counter begins at 0")
	}
}
