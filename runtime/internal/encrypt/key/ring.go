package key

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/fault"
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

	// Expiration is how long a key is kept. If it is 0, keys never expire.
	Expiration time.Duration

	mu     sync.Mutex
	closed bool
	kept   map[bson.UUID]*keptKey
	names  map[string]bson.UUID
}

// keptKey is a decrypted key. The ring and the sets that hold it share it.
type keptKey struct {
	id    bson.UUID
	key   *aead.Key
	names []string
	since time.Time
	uses  atomic.Int32
}

// newKept makes a key with one use, which the caller releases.
func newKept(d *Document, k *aead.Key) *keptKey {
	out := &keptKey{id: d.ID, key: k, names: d.AltNames, since: time.Now()}
	out.uses.Store(1)
	return out
}

// release ends one use; the last one overwrites the key.
func (k *keptKey) release() {
	if k.uses.Add(-1) == 0 {
		k.key.Wipe()
	}
}

// Set holds the keys of one operation. The caller wipes it. It is not safe for concurrent use.
type Set struct{ keys []*keptKey }

// ErrMissing says that the key vault, or a set, does not have a key.
var ErrMissing = errors.New("encrypt: " + analysis.KeysNotSatisfied())

// Key returns a key of the set, which is valid until the set is wiped. Package payload asks it for keys.
func (s *Set) Key(ref payload.Ref) (bson.UUID, *aead.Key, error) {
	for _, k := range s.keys {
		if ref.Name == "" && k.id == ref.ID || ref.Name != "" && slices.Contains(k.names, ref.Name) {
			return k.id, k.key, nil
		}
	}
	return bson.UUID{}, nil, ErrMissing
}

// Wipe releases the keys of the set. A key that neither the ring nor another set holds is overwritten.
func (s *Set) Wipe() {
	for _, k := range s.keys {
		k.release()
	}
	s.keys = nil
}

// NewSet makes an empty set.
func NewSet() *Set { return new(Set) }

// Add puts keys into a set: first those that the ring keeps, then the others from the key vault, in one read.
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
		return fault.PartOfEncryption(fault.ErrKeyVault, fmt.Errorf("encrypt: reading the key vault: %w", err))
	}
	docs := make([]*Document, len(raws))
	for i, raw := range raws {
		if docs[i], err = Parse(raw); err != nil {
			return fault.PartOfEncryption(fault.ErrKeyVault, err)
		}
	}
	if err := refuseUnexpected(docs, missing); err != nil {
		return fault.PartOfEncryption(fault.ErrKeyVault, err)
	}
	if err := r.open(ctx, set, docs); err != nil {
		return err
	}
	for _, ref := range missing {
		if _, _, err := set.Key(ref); err != nil {
			return fault.PartOfEncryption(fault.ErrKeyVault, err)
		}
	}
	return nil
}

// refuseUnexpected refuses documents that were not asked for, and several documents of one key. A sound key vault returns neither.
func refuseUnexpected(docs []*Document, missing []payload.Ref) error {
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

// Key returns a key that the set has, or one that the ring keeps, which it adds to the set. It never reads the key vault.
func (r *Ring) Key(set *Set, ref payload.Ref) (bson.UUID, *aead.Key, error) {
	if id, k, err := set.Key(ref); err == nil {
		return id, k, nil
	}
	r.take(set, []payload.Ref{ref})
	return set.Key(ref)
}

// take puts the keys that the ring keeps into a set, and returns the references to the others.
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
		set.put(k)
	}
	return missing
}

// put adds a key to the set, unless the set has it.
func (s *Set) put(k *keptKey) {
	if slices.ContainsFunc(s.keys, func(other *keptKey) bool { return other.id == k.id }) {
		return
	}
	k.uses.Add(1)
	s.keys = append(s.keys, k)
}

// parallel limits the keys that are decrypted at the same time: each may be a request to a service.
const parallel = 8

// open decrypts keys, puts them into a set and keeps them in the ring.
func (r *Ring) open(ctx context.Context, set *Set, docs []*Document) error {
	keys, errs := make([]*aead.Key, len(docs)), make([]error, len(docs))
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, d := range docs {
		one := func() {
			keys[i], errs[i] = r.Unwrap(ctx, d.Master, d.Material)
			errs[i] = fault.PartOfEncryption(fault.ErrKMS, errs[i])
		}
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
	opened := make([]*keptKey, len(docs))
	for i, k := range keys {
		if k != nil {
			opened[i] = newKept(docs[i], k)
			defer opened[i].release()
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, d := range docs {
		for _, name := range d.AltNames {
			// The name may have moved since the other key was kept.
			if other, _, err := set.Key(payload.Ref{Name: name}); err == nil && other != d.ID {
				return fmt.Errorf("encrypt: two data keys have the keyAltName %q: the key vault needs a unique index", name)
			}
		}
		set.put(opened[i])
		r.keep(opened[i])
	}
	return nil
}

// keep remembers a key. It forgets a key that had one of these names: that key has lost the name.
func (r *Ring) keep(k *keptKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if r.kept == nil {
		r.kept, r.names = map[bson.UUID]*keptKey{}, map[string]bson.UUID{}
	}
	r.forget(k.id)
	for _, name := range k.names {
		if other, ok := r.names[name]; ok {
			r.forget(other)
		}
		r.names[name] = k.id
	}
	k.uses.Add(1)
	r.kept[k.id] = k
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
	for _, name := range k.names {
		if r.names[name] == id {
			delete(r.names, name)
		}
	}
	delete(r.kept, id)
	k.release()
}

// Close wipes all keys that no operation uses; the others go with their operations. The ring then keeps none.
func (r *Ring) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for id := range r.kept {
		r.forget(id)
	}
}
