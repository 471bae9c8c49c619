package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// checkSeriesDelete restricts a delete on a time-series collection to what servers support: many documents at once and,
// before 7.0, whole groups of one meta value.
func (r *Request) checkSeriesDelete(c *store.Collection, filter bson.Raw, limit int64) error {
	s := seriesOf(c)
	switch {
	case s == nil:
		return nil
	case limit != 0:
		return status.Errorf(errcode.InvalidOptions, "Cannot perform a non-multi delete on a time-series collection")
	case r.WireVersion >= wire.Server70, filter.Len() == 0:
		return nil
	case s.meta == "":
		return status.Errorf(errcode.InvalidOptions, "Cannot perform a delete on a time-series collection that does not have a metaField")
	}
	return s.checkQuery(filter, "a delete")
}

// checkSeriesUpdate restricts an update to what servers support: modifiers that change the meta value of many documents
// at once.
func (r *Request) checkSeriesUpdate(c *store.Collection, st *args) error {
	s := seriesOf(c)
	u := st.get("u")
	fail := func(text string) error { return status.Errorf(errcode.InvalidOptions, "%s", text) }
	switch {
	case s == nil:
		return nil
	case s.meta == "":
		return fail("Cannot perform an update on a time-series collection that does not have a metaField")
	case !st.bool("multi"):
		return fail("Cannot perform a non-multi update on a time-series collection")
	case st.bool("upsert"):
		return fail("Cannot perform an upsert on a time-series collection")
	case u.Type == bsontype.Array:
		return fail("Cannot perform an update on a time-series collection using a pipeline update")
	}
	for op, v := range bson.Raw(u.Value).All() {
		if !strings.HasPrefix(op, "$") {
			return fail("Cannot perform an update on a time-series collection using a replacement document")
		}
		d, _ := v.DocumentOK()
		for name := range d.All() {
			if !s.isMeta(name) {
				return status.Errorf(errcode.InvalidOptions,
					"Cannot perform an update on a time-series collection when updating a field that is not the metaField '%s': %s",
					s.meta, status.TextOf(u))
			}
		}
	}
	return s.checkQuery(documentOrEmpty(st.document("q")), "an update")
}

func (s *series) isMeta(name string) bool {
	return name == s.meta || strings.HasPrefix(name, s.meta+".")
}

// checkQuery refuses conditions on anything but the meta value.
func (s *series) checkQuery(filter bson.Raw, what string) error {
	for name, v := range filter.All() {
		switch {
		case name == "$and", name == "$or", name == "$nor":
			for _, branch := range value.Elements(v) {
				if err := s.checkQuery(bson.Raw(branch.Value), what); err != nil {
					return err
				}
			}
		case name == "$comment", s.isMeta(name):
		default:
			return status.Errorf(errcode.InvalidOptions, "Cannot perform %s on a time-series collection when querying on a field that is "+
				"not the metaField '%s': %s", what, s.meta, status.Text(filter))
		}
	}
	return nil
}

// checkNotSeries refuses a time-series collection where servers only read it.
func checkNotSeries(c *store.Collection) error {
	if isTimeSeries(c) {
		return status.Errorf(errcode.CommandNotSupportedOnView, "Namespace %s is a timeseries collection", c.Namespace())
	}
	return nil
}
