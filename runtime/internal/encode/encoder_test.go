package encode

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
)

type named struct {
	ID   string `bson:"_id"`
	Name string
}

// A document keeps its _id, wherever it stands. One without gets an ObjectID, as its first field.
func TestInsert(t *testing.T) {
	id := bson.NewObjectID()
	withID := bson.Doc("_id", id, "x", 1)
	nested := bson.Doc("x", bson.Doc("_id", 1))
	for name, tt := range map[string]struct {
		v  any
		id any // nil if it gets one
	}{
		"a D":                      {withID, id},
		"a pointer to a D":         {&withID, id},
		"an _id that is not first": {bson.Doc("x", "other", "_id", "ada"), "ada"},
		"an _id of another type":   {bson.Doc("_id", bson.Doc("x", int32(1))), bson.Doc("x", int32(1))},
		"an int32":                 {bson.Doc("_id", int32(7)), int32(7)},
		"an int64":                 {bson.Doc("_id", int64(7)), int64(7)},
		"a double":                 {bson.Doc("_id", 7.5), 7.5},
		"a small int":              {bson.Doc("_id", 7), int32(7)},
		"a null":                   {bson.Doc("_id", nil), nil},
		"a Raw":                    {mustEncode(withID), id},
		"a pointer to a Raw":       {new(mustEncode(withID)), id},
		"bytes":                    {[]byte(mustEncode(withID)), id},
		"a pointer to bytes":       {new([]byte(mustEncode(withID))), id},
		"a struct":                 {named{"ada", "Ada"}, "ada"},
		"a struct with an ObjectID": {struct {
			ID bson.ObjectID `bson:"_id"`
		}{id}, id},
		"a D without":           {bson.Doc("x", 1), nil},
		"a Raw without":         {mustEncode(bson.Doc("x", 1)), nil},
		"an _id further inside": {nested, nil},
		"a struct without":      {point{1, 2}, nil},
		"nothing":               {bson.D{}, nil},
	} {
		var e Encoder
		doc, got, err := e.Insert(nil, nil, tt.v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		source, encoded := asRaw(tt.v)
		if !encoded {
			source = mustEncode(tt.v)
		}
		if !source.Lookup("_id").IsZero() {
			if !bytes.Equal(doc, source) || !equal(got, tt.id) {
				t.Errorf("%s: %v with the _id %T %v, want %T %v", name, doc, got, got, tt.id, tt.id)
			}
			continue
		}
		oid, ok := got.(bson.ObjectID)
		want := mustEncode(bson.D{{Key: "_id", Value: oid}})
		want = append(want[:len(want)-1], source[4:]...)
		if stored, _ := doc.Lookup("_id").ObjectIDOK(); !ok || oid.IsZero() || stored != oid || doc.Validate() != nil ||
			!bytes.Equal(doc[4:], want[4:]) || cap(doc) != len(doc) {
			t.Errorf("%s: %v with the _id %v", name, doc, got)
		}
	}
}

func equal(a, b any) bool {
	d, ok := a.(bson.D)
	if !ok {
		return a == b || b == nil && a == any(nil)
	}
	return bytes.Equal(mustEncode(d), mustEncode(b))
}

// The _id is decoded as the program decodes documents.
func TestInsertDecodesTheID(t *testing.T) {
	var e Encoder
	_, id, err := e.Insert(nil, &bson.UnmarshalOptions{DefaultDocument: bson.DocumentM}, bson.Doc("_id", bson.Doc("x", 1)))
	if _, ok := id.(bson.M); !ok || err != nil {
		t.Errorf("the _id is a %T, %v", id, err)
	}
}

func TestInsertRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		v    any
		want string
	}{
		"nil":           {nil, "mongo: the document is nil: pass bson.D{} for an empty one"},
		"an element":    {bson.E{Key: "x"}, `mongo: the document is a bson.E: pass a bson.D, such as bson.D{{Key: "x", Value: ...}}`},
		"hidden fields": {hidden{1}, "mongo: the document is a encode.hidden, which has no exported field: only fields whose names begin with a capital letter are stored"},
		"broken bytes":  {append(mustEncode(bson.Doc("_id", 1)), 0), "bson: "},
		"a text":        {"x", "bson: "},
	} {
		var e Encoder
		if _, _, err := e.Insert(nil, nil, tt.v); !isText(err, tt.want) {
			t.Errorf("%s: %q, want %q", name, text(err), tt.want)
		}
	}
}

// Documents of one encoder share memory and do not touch one another, however many there are and however large.
func TestDocumentsShareMemory(t *testing.T) {
	var e Encoder
	var docs []bson.Raw
	for i := range 3_000 {
		e.MakeRoom()
		doc, _, err := e.Insert(nil, nil, bson.Doc("_id", i, "text", string(make([]byte, i%7*1_000))))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	for i, doc := range docs {
		if n, _ := doc.Lookup("_id").AsInt64OK(); n != int64(i) || doc.Validate() != nil {
			t.Fatalf("document %d is %v", i, doc)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		e.MakeRoom()
		if _, err := e.Document(nil, "filter", small); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations for a small document, want those of a new buffer now and then", n)
	}
}

var small any = bson.Doc("x", int32(1))

// MakeRoom begins a new buffer before the old one is full, and reads the clock for the ObjectIDs of the next documents.
func TestMakeRoom(t *testing.T) {
	var e Encoder
	e.MakeRoom()
	if cap(e.buf) != encoderChunk || len(e.buf) != 0 || time.Since(e.now) > time.Minute {
		t.Errorf("room for %d, time %v", cap(e.buf), e.now)
	}
	e.now = time.Unix(7, 0)
	_, id, err := e.Insert(nil, nil, bson.D{})
	if oid, ok := id.(bson.ObjectID); err != nil || !ok || oid.Timestamp().Unix() != 7 {
		t.Errorf("the _id %v is of another time, %v", id, err)
	}
	e.buf = e.buf[:encoderChunk-encoderChunk/4]
	before := &e.buf[0]
	if e.MakeRoom(); &e.buf[0] != before {
		t.Error("a buffer with a quarter left was given up")
	}
	e.buf = e.buf[:encoderChunk-encoderChunk/4+1]
	if e.MakeRoom(); len(e.buf) != 0 || e.now.Unix() == 7 {
		t.Error("there is no new buffer, or no new time")
	}
	var fresh Encoder
	if _, id, _ := fresh.Insert(nil, nil, bson.D{}); time.Since(id.(bson.ObjectID).Timestamp()) > time.Minute {
		t.Errorf("without MakeRoom the _id is of %v", id.(bson.ObjectID).Timestamp())
	}
}

// Reset keeps the memory for the next operation, unless one large document has made it grow.
func TestReset(t *testing.T) {
	var e Encoder
	if _, err := e.Document(nil, "filter", small); err != nil {
		t.Fatal(err)
	}
	size := cap(e.buf)
	e.now = time.Now()
	e.Reset(size)
	if cap(e.buf) != size || len(e.buf) != 0 || !e.now.IsZero() {
		t.Errorf("room for %d, want %d; %d bytes, time %v", cap(e.buf), size, len(e.buf), e.now)
	}
	e.Reset(size - 1)
	if e.buf != nil {
		t.Errorf("room for %d is left", cap(e.buf))
	}
	e.Reset(math.MaxInt)
	if _, err := e.Document(nil, "filter", small); err != nil || slices.Contains(e.buf, 0xff) {
		t.Errorf("%v, %v", e.buf, err)
	}
}
