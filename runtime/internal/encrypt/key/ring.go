package key

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
)

// Ring finds data keys and keeps those that it decrypted until they expire. It is safe for concurrent use; two operations
// that need the same key may both fetch it.
type Ring struct {
	// Find reads the documents of data keys by their ids and alternate names.
	Find func(ctx context.Context, ids []bson.UUID, names []string) ([]bson.Raw, error)

	// Unwrap decrypts a data key.
	Unwrap func(ctx context.Context, master bson.Raw, wrapped []byte) (*aead.Key, error)

	// Expiration is how long a key is kept; 0 keeps it for ever.
	Expiration time.Duration

	mu     sync.Mutex
	closed bool
	kept   map[bson.UUID]*kept
	names  map[string]bson.UUID
}

// kept is a key that was decrypted.
type kept struct {
	key   aead.Key
	names []string
	since time.Time
}

// Set holds the keys of one operation. Its user wipes it.
type Set struct {
	keys  map[bson.UUID]*aead.Key
	names map[string]bson.UUID
}

// errMissing says that a key is not in the key vault.
var errMissing = errors.New(
	"encrypt: not all keys requested were satisfied: verify that key vault DB/collection name was correctly specified")

// Key returns a key of the set; it is what package payload asks for keys.
func (s *Set) Key(ref payload.Ref) (bson.UUID, *aead.Key, error) {
	id := ref.ID
	if ref.Name != "" {
		var ok bool
		if id, ok = s.names[ref.Name]; !ok {
			return bson.UUID{}, nil, errMissing
		}
	}
	if k := s.keys[id]; k != nil {
		return id, k, nil
	}
	return bson.UUID{}, nil, errMissing
}

// Wipe overwrites the keys of the set.
func (s *Set) Wipe() {
	for _, k := range s.keys {
		k.Wipe()
	}
	clear(s.keys)
}

// NewSet makes an empty set.
func NewSet() *Set { return &Set{keys: map[bson.UUID]*aead.Key{}, names: map[string]bson.UUID{}} }

// Add puts keys into a set: those that the ring keeps, and the others from the key vault, which is asked once.
func (r *Ring) Add(ctx context.Context, set *Set, refs []payload.Ref) error {
	missing := r.take(set, refs)
	if len(missing) == 0 {
		return nil
	}
	var ids []bson.UUID
	var names []string
	for _, ref := range missing {
		if ref.Name != "" {
			names = append(names, ref.Name)
		} else {
			ids = append(ids, ref.ID)
		}
	}
	raws, err := r.Find(ctx, ids, names)
	if err != nil {
		return fmt.Errorf("encrypt: reading the key vault: %w", err)
	}
	docs := make([]*Document, len(raws))
	for i, raw := range raws {
		if docs[i], err = Parse(raw); err != nil {
			return err
		}
	}
	if err := expected(docs, missing); err != nil {
		return err
	}
	if err := r.open(ctx, set, docs); err != nil {
		return err
	}
	for _, ref := range missing {
		if _, _, err := set.Key(ref); err != nil {
			return err
		}
	}
	return nil
}

// expected refuses documents that nobody has asked for, and several of one key: a key vault that is sound returns none.
func expected(docs []*Document, missing []payload.Ref) error {
	for i, d := range docs {
		if !slices.ContainsFunc(missing, func(ref payload.Ref) bool {
			return ref.Name == "" && ref.ID == d.ID || ref.Name != "" && slices.Contains(d.AltNames, ref.Name)
		}) {
			return fmt.Errorf("encrypt: unexpected key returned, which does not match any request: %s", d.ID)
		}
		for _, o := range docs[:i] {
			if o.ID == d.ID || slices.ContainsFunc(d.AltNames, func(n string) bool { return slices.Contains(o.AltNames, n) }) {
				return errors.New("encrypt: keys returned have duplicate keyAltNames or _id: the key vault needs a unique index")
			}
		}
	}
	return nil
}

// take copies the keys that the ring keeps into a set, and returns what it does not keep.
func (r *Ring) take(set *Set, refs []payload.Ref) (missing []payload.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	for _, ref := range refs {
		if _, _, err := set.Key(ref); err == nil {
			continue
		}
		id, known := ref.ID, true
		if ref.Name != "" {
			id, known = r.names[ref.Name]
		}
		k := r.kept[id]
		if !known || k == nil {
			missing = append(missing, ref)
			continue
		}
		set.put(id, &k.key, k.names)
	}
	return missing
}

// put copies a key into the set.
func (s *Set) put(id bson.UUID, k *aead.Key, names []string) {
	if s.keys[id] == nil {
		own := *k
		s.keys[id] = &own
	}
	for _, name := range names {
		s.names[name] = id
	}
}

// parallel limits the keys that are decrypted at the same time: each may be a request to a service.
const parallel = 8

// open decrypts keys into a set, and keeps them.
func (r *Ring) open(ctx context.Context, set *Set, docs []*Document) error {
	keys, errs := make([]*aead.Key, len(docs)), make([]error, len(docs))
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, d := range docs {
		one := func() { keys[i], errs[i] = r.Unwrap(ctx, d.Master, d.Material) }
		if len(docs) == 1 {
			one()
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			one()
			<-slots
		})
	}
	wait.Wait()
	defer func() {
		for _, k := range keys {
			if k != nil {
				k.Wipe()
			}
		}
	}()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, d := range docs {
		for _, name := range d.AltNames {
			if other, ok := set.names[name]; ok && other != d.ID { // the name has moved since the other key was kept
				return fmt.Errorf("encrypt: two data keys have the keyAltName %q: the key vault needs a unique index", name)
			}
		}
		set.put(d.ID, keys[i], d.AltNames)
		r.keep(d, keys[i])
	}
	return nil
}

// keep remembers a key. Another one that had one of its names is forgotten: it has lost the name.
func (r *Ring) keep(d *Document, k *aead.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.kept == nil {
		r.kept, r.names = map[bson.UUID]*kept{}, map[string]bson.UUID{}
	}
	r.forget(d.ID)
	for _, name := range d.AltNames {
		if other, ok := r.names[name]; ok {
			r.forget(other)
		}
		r.names[name] = d.ID
	}
	r.kept[d.ID] = &kept{key: *k, names: d.AltNames, since: time.Now()}
}

// expire forgets the keys that were kept for long enough.
func (r *Ring) expire() {
	if r.Expiration <= 0 {
		return
	}
	for id, k := range r.kept {
		if time.Since(k.since) >= r.Expiration {
			r.forget(id)
		}
	}
}

func (r *Ring) forget(id bson.UUID) {
	k := r.kept[id]
	if k == nil {
		return
	}
	k.key.Wipe()
	for _, name := range k.names {
		if r.names[name] == id {
			delete(r.names, name)
		}
	}
	delete(r.kept, id)
}

// Close wipes all keys. The ring then keeps none.
func (r *Ring) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for id := range r.kept {
		r.forget(id)
	}
}
