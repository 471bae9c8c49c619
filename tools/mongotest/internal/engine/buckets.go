package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// bucketMax is how many measurements a bucket holds.
const bucketMax = 1000

// series are the properties of a time-series collection.
type series struct {
	time, meta      string
	rounding, span  int64 // milliseconds
	namespace, uuid string
}

// seriesOf reads the time-series properties of a collection. It returns nil for a collection of another kind.
func seriesOf(c *store.Collection) *series {
	if !isTimeSeries(c) {
		return nil
	}
	d, _ := c.Options.Document.Lookup("timeseries").DocumentOK()
	s := &series{time: value.Text(d.Lookup("timeField")), meta: value.Text(d.Lookup("metaField")), namespace: c.Namespace()}
	s.uuid = string(c.UUID[:])
	span, _ := number.ExactInt64(d.Lookup("bucketMaxSpanSeconds"))
	s.span, s.rounding = span*1000, 60_000
	switch value.Text(d.Lookup("granularity")) {
	case "minutes":
		s.rounding = 3_600_000
	case "hours":
		s.rounding = 86_400_000
	}
	if n, ok := number.ExactInt64(d.Lookup("bucketRoundingSeconds")); ok {
		s.rounding = n * 1000
	}
	return s
}

// bucketsOf shows the measurements of a time-series collection as a server stores them: in a separate collection. Each of
// its documents holds, by column, the measurements of one meta value in one span of time.
func bucketsOf(c *store.Collection) *store.Derived {
	s := seriesOf(c)
	if s == nil {
		return nil
	}
	return &store.Derived{
		Name:      store.BucketsPrefix + c.Name,
		Options:   store.Options{Document: s.bucketOptions(c)},
		Documents: func() []bson.Raw { return s.pack(c) },
	}
}

// bucketOptions returns the options of the collection of buckets.
func (s *series) bucketOptions(c *store.Collection) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBooleanElement(dst, "clusteredIndex", true)
	for key, v := range c.Options.Document.All() {
		switch key {
		case "expireAfterSeconds", "timeseries", "collation":
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// measurement is a document with its time.
type measurement struct {
	at  int64
	doc bson.Raw
}

// pack makes the buckets, earliest first.
func (s *series) pack(c *store.Collection) []bson.Raw {
	groups := map[string][]measurement{}
	var metas []string
	for scan := c.Scan(0); ; {
		r := scan.Next()
		if r == nil {
			break
		}
		at, _ := path.Field(r.Doc, s.time).DateTimeOK()
		key := ""
		if v := path.Field(r.Doc, s.meta); s.meta != "" && !v.IsZero() {
			key = string(v.Type) + string(v.Value)
		}
		if groups[key] == nil {
			metas = append(metas, key)
		}
		groups[key] = append(groups[key], measurement{at, r.Doc})
	}
	var out []bson.Raw
	for _, key := range metas {
		list := groups[key]
		slices.SortStableFunc(list, func(a, b measurement) int { return int(min(max(a.at-b.at, -1), 1)) })
		for n := 0; len(list) > 0; n++ {
			from := floor(list[0].at, s.rounding)
			end := 0
			for end < len(list) && end < bucketMax && list[end].at < from+s.span {
				end++
			}
			out = append(out, s.bucket(from, key+"#"+strconv.Itoa(n), list[:max(end, 1)]))
			list = list[max(end, 1):]
		}
	}
	slices.SortStableFunc(out, func(a, b bson.Raw) int { return compare.Values(a.Lookup("_id"), b.Lookup("_id"), nil) })
	return out
}

func floor(n, unit int64) int64 {
	if r := n % unit; r < 0 {
		return n - r - unit
	} else {
		return n - r
	}
}

// bucket returns one document that holds measurements by column. Its _id begins with its time. The rest of the _id is
// derived from the content, so it stays the same.
func (s *series) bucket(from int64, key string, list []measurement) bson.Raw {
	sum := sha256.Sum256([]byte(s.uuid + key))
	var id bson.ObjectID
	copy(id[4:], sum[:8])
	binary.BigEndian.PutUint32(id[:], uint32(from/1000))
	var names []string
	columns := map[string][]byte{}
	low, high := value.EmptyDocument, value.EmptyDocument
	for i, m := range list {
		fields := dropField(m.doc, s.meta)
		low, high = extremes(low, fields, -1), extremes(high, fields, 1)
		for name, v := range fields.All() {
			if columns[name] == nil {
				names = append(names, name)
				columns[name], _ = bson.AppendDocumentStart(nil)
			}
			columns[name] = bson.AppendRawValueElement(columns[name], strconv.Itoa(i), v)
		}
	}
	low = setField(low, s.time, value.DateTime(from))
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendObjectIDElement(dst, "_id", id)
	dst, control := bson.AppendDocumentElementStart(dst, "control")
	dst = bson.AppendInt32Element(dst, "version", 1)
	dst = bson.AppendDocumentElement(dst, "min", low)
	dst = bson.AppendDocumentElement(dst, "max", high)
	dst = bson.AppendDocumentEnd(dst, control)
	if v := path.Field(list[0].doc, s.meta); s.meta != "" && !v.IsZero() {
		dst = bson.AppendRawValueElement(dst, "meta", v)
	}
	dst, data := bson.AppendDocumentElementStart(dst, "data")
	for _, name := range names {
		dst = bson.AppendDocumentElement(dst, name, bson.AppendDocumentEnd(columns[name], 0))
	}
	dst = bson.AppendDocumentEnd(dst, data)
	return bson.AppendDocumentEnd(dst, start)
}

// extremes returns the least (sign -1) or the greatest (1) values of two documents, field by field.
func extremes(a, b bson.Raw, sign int) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for name, v := range a.All() {
		other := path.Field(b, name)
		inner := v.Type == other.Type && (v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array)
		switch {
		case inner:
			v.Value = extremes(bson.Raw(v.Value), bson.Raw(other.Value), sign)
		case !other.IsZero() && compare.Values(other, v, nil)*sign > 0:
			v = other
		}
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	for name, v := range b.All() {
		if path.Field(a, name).IsZero() {
			dst = bson.AppendRawValueElement(dst, name, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// unpack unpacks a bucket that a client inserts, as mongorestore does.
func (s *series) unpack(bucket bson.Raw) ([]bson.Raw, error) {
	if n, _ := number.ExactInt64(bucket.Lookup("control", "version")); n != 1 {
		return nil, status.Errorf(errcode.CommandNotSupported, "mongotest reads buckets of version 1 alone, this one has version %s",
			status.TextOf(bucket.Lookup("control", "version")))
	}
	data, ok := bucket.Lookup("data").DocumentOK()
	times, hasTimes := data.Lookup(s.time).DocumentOK()
	if !ok || !hasTimes {
		return nil, status.Errorf(errcode.BadValue, "a bucket of %s has no times", s.namespace)
	}
	var out []bson.Raw
	for at, v := range times.All() {
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendRawValueElement(dst, s.time, v)
		if meta := bucket.Lookup("meta"); s.meta != "" && !meta.IsZero() {
			dst = bson.AppendRawValueElement(dst, s.meta, meta)
		}
		for name, column := range data.All() {
			if e := path.Field(bson.Raw(column.Value), at); name != s.time && column.Type == bsontype.EmbeddedDocument && !e.IsZero() {
				dst = bson.AppendRawValueElement(dst, name, e)
			}
		}
		out = append(out, bson.AppendDocumentEnd(dst, start))
	}
	return out, nil
}

// unpackAll unpacks the buckets that a client inserts into a time-series collection, and names that collection.
func unpackAll(tx *store.Txn, db, name string, docs []bson.Raw) (to string, out []bson.Raw, err error) {
	to, ok := strings.CutPrefix(name, store.BucketsPrefix)
	s := seriesOf(tx.Collection(db, to))
	if !ok || s == nil {
		return name, docs, nil
	}
	for _, d := range docs {
		list, err := s.unpack(d)
		if err != nil {
			return to, nil, err
		}
		out = append(out, list...)
	}
	return to, out, nil
}

// arrange returns a measurement as a bucket's columns return it. The time and the meta value come first; the other fields
// follow in order of name.
func (s *series) arrange(doc bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(doc)))
	for _, name := range [...]string{s.time, s.meta} {
		if v := path.Field(doc, name); name != "" && !v.IsZero() {
			dst = bson.AppendRawValueElement(dst, name, sortFields(v))
		}
	}
	for name, v := range doc.All() {
		if name != s.time && (s.meta == "" || name != s.meta) {
			dst = bson.AppendRawValueElement(dst, name, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// sortFields sorts the fields of documents by their names.
func sortFields(v bson.RawValue) bson.RawValue {
	if v.Type != bsontype.EmbeddedDocument {
		return v
	}
	var fields []bson.RawElement
	for name, e := range bson.Raw(v.Value).All() {
		fields = append(fields, bson.RawElement{Key: name, Value: sortFields(e)})
	}
	slices.SortStableFunc(fields, func(a, b bson.RawElement) int { return strings.Compare(a.Key, b.Key) })
	dst, start := bson.AppendDocumentStart(nil)
	for _, f := range fields {
		dst = bson.AppendRawValueElement(dst, f.Key, f.Value)
	}
	return value.Document(bson.AppendDocumentEnd(dst, start))
}
