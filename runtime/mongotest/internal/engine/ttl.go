package engine

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// Expire deletes the documents that a TTL index lets expire by now, and returns their number. The layer above calls it
// from time to time, as the server's TTL monitor runs once a minute.
func (e *Engine) Expire() (deleted int, err error) {
	now := e.now()
	_, err = e.store.Update(func(tx *store.Txn) error {
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

func expireIn(tx *store.Txn, c *store.Collection, now time.Time) (deleted int, err error) {
	gone := map[store.RecordID]bool{}
	for _, x := range c.Indexes() {
		if x.ExpireAt == nil {
			continue
		}
		limit := now.Add(-time.Duration(*x.ExpireAt) * time.Second).UnixMilli()
		scan := c.Scan(0)
		for rec := scan.Next(); rec != nil; rec = scan.Next() {
			if gone[rec.ID] || !expiredBy(rec.Doc, x.Fields[0].Path, limit) || x.Partial != nil && !x.Partial(rec.Doc) {
				continue
			}
			if err := tx.Delete(c.DB, c.Name, rec); err != nil {
				return deleted, err
			}
			gone[rec.ID] = true
			deleted++
		}
	}
	return deleted, nil
}

// expiredBy looks for a date, or one in an array, that is not after the limit.
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
