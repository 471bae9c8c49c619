package key_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
)

func newDocument(id byte, names ...string) bson.Raw {
	now := time.Now()
	d := key.Document{
		ID: bson.UUID{id}, AltNames: names, Material: []byte{id}, Created: now, Updated: now,
		Master: bson.Raw{5, 0, 0, 0, 0},
	}
	return d.Raw()
}

// newVault returns a ring with three keys in its key vault, and a count of the reads.
func newVault(expiration time.Duration) (*key.Ring, *atomic.Int32) {
	reads := new(atomic.Int32)
	return &key.Ring{
		Find: func(_ context.Context, ids []bson.UUID, names []string) ([]bson.Raw, error) {
			reads.Add(1)
			var found []bson.Raw
			for i, doc := range []bson.Raw{newDocument(1, "one"), newDocument(2, "two", "zwei"), newDocument(3)} {
				d, err := key.Parse(doc)
				if err != nil {
					return nil, err
				}
				for _, id := range ids {
					if id == d.ID {
						found = append(found, doc)
					}
				}
				for _, name := range names {
					if i < 2 && d.AltNames[0] == name {
						found = append(found, doc)
					}
				}
			}
			return found, nil
		},
		Unwrap: func(_ context.Context, _ bson.Raw, wrapped []byte) (*aead.Key, error) {
			material := make([]byte, aead.KeySize)
			material[0] = wrapped[0]
			return aead.NewKey(material)
		},
		Expiration: expiration,
	}, reads
}

func take(t *testing.T, r *key.Ring, refs ...payload.Ref) {
	t.Helper()
	set := key.NewSet()
	defer set.Wipe()
	if err := r.Add(t.Context(), set, refs); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		id, k, err := set.Key(ref)
		if err != nil || k.Material()[0] != id[0] {
			t.Errorf("another key of %v, %v", id, err)
		}
	}
}

func TestKeysExpire(t *testing.T) {
	for _, test := range []struct {
		name       string
		expiration time.Duration
		wait       time.Duration
		reads      int32
	}{
		{"before the end", time.Minute, 59 * time.Second, 1},
		{"at the end", time.Minute, time.Minute, 2},
		{"never", 0, 1000 * time.Hour, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, reads := newVault(test.expiration)
				take(t, r, payload.Ref{ID: bson.UUID{1}}, payload.Ref{Name: "two"})
				time.Sleep(test.wait)
				take(t, r, payload.Ref{Name: "one"}, payload.Ref{ID: bson.UUID{2}}, payload.Ref{Name: "zwei"})
				if got := reads.Load(); got != test.reads {
					t.Errorf("%d reads, want %d", got, test.reads)
				}
			})
		})
	}
}

// A key is overwritten when the ring has forgotten it and the last operation that uses it has ended.
func TestKeysAreWipedAfterTheLastUse(t *testing.T) {
	r, _ := newVault(0)
	first, second := key.NewSet(), key.NewSet()
	ref := payload.Ref{ID: bson.UUID{3}}
	for _, set := range []*key.Set{first, second} {
		if err := r.Add(t.Context(), set, []payload.Ref{ref}); err != nil {
			t.Fatal(err)
		}
	}
	_, k, _ := first.Key(ref)
	for _, step := range []struct {
		name  string
		end   func()
		there bool
	}{{"one of two operations", first.Wipe, true}, {"the ring", r.Close, true}, {"the other operation", second.Wipe, false}} {
		step.end()
		if there := k.Material()[0] == 3; there != step.there {
			t.Errorf("after %s the key is there: %t", step.name, there)
		}
	}
	for _, set := range []*key.Set{first, second} {
		if _, _, err := set.Key(ref); err == nil {
			t.Error("a wiped set still has the key")
		}
	}
}

// Operations encrypt with a key while it expires: none sees it overwritten.
func TestKeysOutliveTheirExpiration(t *testing.T) {
	r, _ := newVault(time.Nanosecond) // each use makes the ring forget the previous key
	ref := payload.Ref{ID: bson.UUID{3}}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				take(t, r, ref)
			}
		})
	}
	wait.Wait()
}

func TestDocumentsThatAreRefused(t *testing.T) {
	good := newDocument(1, "a")
	without := func(field string) bson.Raw {
		dst, start := bson.AppendDocumentStart(nil)
		for name, value := range good.All() {
			if name != field {
				dst = bson.AppendRawValueElement(dst, name, value)
			}
		}
		return bson.AppendDocumentEnd(dst, start)
	}
	with := func(field string, value int32) bson.Raw {
		return bson.AppendDocumentEnd(bson.AppendInt32Element(append([]byte(nil), good[:len(good)-1]...), field, value), 0)
	}
	for name, doc := range map[string]bson.Raw{
		"no _id": without("_id"), "no keyMaterial": without("keyMaterial"), "no masterKey": without("masterKey"),
		"no status": without("status"), "no creationDate": without("creationDate"), "no updateDate": without("updateDate"),
		"another version": with("version", 1), "an unknown field": with("more", 1), "a name twice": newDocument(1, "a", "a"),
	} {
		if _, err := key.Parse(doc); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := key.Parse(with("version", 0)); err != nil {
		t.Error(err)
	}
	// status has no meaning yet, so its type does not matter.
	ready := without("status")
	ready = bson.AppendDocumentEnd(bson.AppendStringElement(append([]byte(nil), ready[:len(ready)-1]...), "status", "ready"), 0)
	if _, err := key.Parse(ready); err != nil {
		t.Error(err)
	}
}
