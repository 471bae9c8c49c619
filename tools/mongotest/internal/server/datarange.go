package server

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// dataRange is the part of a collection that dataSize measures: the keys from min, and less than max.
type dataRange struct{ min, max bson.Raw }

// readDataRange reads the fields keyPattern, min and max. It is nil if there are none.
func (r *request) readDataRange(c *store.Collection) (*dataRange, error) {
	low, _ := r.Body.Lookup("min").DocumentOK()
	high, _ := r.Body.Lookup("max").DocumentOK()
	pattern, given := r.Body.Lookup("keyPattern").DocumentOK()
	switch {
	case low.Len() == 0 && high.Len() == 0:
		return nil, nil
	case low.Len() == 0 || high.Len() == 0:
		return nil, status.Errorf(errcode.BadValue, "only one of min or max specified")
	case !given:
		pattern = low
	}
	if c == nil {
		return nil, nil
	}
	for _, x := range c.Indexes() {
		if !x.Sparse && x.Filter == nil && hasPrefix(x.KeyPattern(), pattern) {
			return &dataRange{low, high}, nil
		}
	}
	return nil, status.Errorf(errcode.OperationFailed, "couldn't find valid index containing key pattern")
}

// hasPrefix reports whether the fields of a pattern are the first ones of an index's key.
func hasPrefix(key, pattern bson.Raw) bool {
	var names []string
	for name := range key.All() {
		names = append(names, name)
	}
	at := 0
	for name := range pattern.All() {
		if at >= len(names) || names[at] != name {
			return false
		}
		at++
	}
	return true
}

// measure returns the size and the number of the documents in the range.
func (d *dataRange) measure(c *store.Collection) (size, n int64) {
	for scan := c.Scan(0); ; {
		record := scan.Next()
		if record == nil {
			return size, n
		}
		if d.side(record.Doc, d.min) >= 0 && d.side(record.Doc, d.max) < 0 {
			size += int64(len(record.Doc))
			n++
		}
	}
}

// side compares the key of a document with a bound.
func (d *dataRange) side(doc, bound bson.Raw) int {
	for name, limit := range bound.All() {
		v := doc.Lookup(strings.Split(name, ".")...)
		if v.IsZero() {
			v = value.Null
		}
		if c := compare.Values(v, limit, nil); c != 0 {
			return c
		}
	}
	return 0
}
