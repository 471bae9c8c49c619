package engine

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Expire deletes the documents that have expired by now, under a TTL index or under the expireAfterSeconds of a
// clustered or time-series collection. It returns their number. The layer above calls it from time to time. A server's
// TTL monitor runs once a minute.
func (e *Engine) Expire() (deleted int, err error) {
	now := e.now()
	_, err = e.store.Update(func(tx *store.Txn) error {
		deleted = 0
		snap := tx.Snapshot()
		for _, db := range snap.Databases() {
			for _, c := range snap.Collections(db) {
				n, err := expireIn(tx, c, now)
				deleted += n
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	return deleted, err
}

// expiry is a rule that makes documents expire: a date in a field is old enough.
type expiry struct {
	field   path.Path
	seconds int64
	partial func(bson.Raw) bool
}

// expiries returns a collection's expiry rules.
func expiries(c *store.Collection) []expiry {
	var list []expiry
	if strings.HasPrefix(c.Name, store.BucketsPrefix) {
		return nil // the measurements expire in the time-series collection
	}
	for _, x := range c.Indexes() {
		if x.ExpireAt != nil {
			list = append(list, expiry{x.Fields[0].Path, *x.ExpireAt, x.Partial})
		}
	}
	if c.Options.Document == nil {
		return list
	}
	if v := c.Options.Document.Lookup("expireAfterSeconds"); number.Is(v.Type) {
		name := "_id"
		if time, ok := c.Options.Document.Lookup("timeseries", "timeField").StringOK(); ok {
			name = time
		}
		list = append(list, expiry{path.Parse(name), wholeNumber(v), nil})
	}
	return list
}

func expireIn(tx *store.Txn, c *store.Collection, now time.Time) (deleted int, err error) {
	gone := map[store.RecordID]bool{}
	for _, x := range expiries(c) {
		limit := now.Add(-time.Duration(x.seconds) * time.Second).UnixMilli()
		scan := c.Scan(0)
		for rec := scan.Next(); rec != nil; rec = scan.Next() {
			if gone[rec.ID] || !expiredBy(rec.Doc, x.field, limit) || x.partial != nil && !x.partial(rec.Doc) {
				continue
			}
			if err := tx.Delete(c.DB, c.Name, rec); status.Is(err, errcode.WriteConflict) {
				continue // an open transaction holds it; a later pass deletes it
			} else if err != nil {
				return deleted, err
			}
			gone[rec.ID] = true
			deleted++
		}
	}
	return deleted, nil
}

// expiredBy looks for a date, also inside an array, that is not after the limit.
func expiredBy(doc bson.Raw, p path.Path, limit int64) bool {
	expired := false
	p.Each(doc, path.Expand, func(v bson.RawValue, _ int) bool {
		if v.Type == bsontype.DateTime {
			ms, _ := v.DateTimeOK()
			expired = expired || ms <= limit
		}
		return !expired
	})
	return expired
}
