package encrypt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
)

// Explicit encrypts and decrypts single values. It is safe for concurrent use.
type Explicit struct {
	Ring   *key.Ring
	Random io.Reader

	expressions atomic.Int32 // no two expressions in a command have the same payloadId
}

// Encrypt encrypts one value as a plan says.
func (e *Explicit) Encrypt(ctx context.Context, value bson.RawValue, p *Plan) ([]byte, error) {
	if p.QueryType == queryRange {
		return nil, errRangeQuery
	}
	if err := p.checkValue(value); err != nil {
		return nil, err
	}
	keys := key.NewSet()
	defer keys.Wipe()
	id, err := e.keyOf(ctx, keys, p)
	if err != nil {
		return nil, err
	}
	marking, err := p.marking(id, value)
	if err != nil {
		return nil, err
	}
	return payload.Seal(marking, keys.Key, e.Random)
}

// keyOf fetches the key of a plan.
func (e *Explicit) keyOf(ctx context.Context, keys *key.Set, p *Plan) (bson.UUID, error) {
	if err := e.Ring.Add(ctx, keys, []payload.Ref{p.Key}); err != nil {
		return bson.UUID{}, err
	}
	id, _, err := keys.Key(p.Key)
	return id, err
}

// Decrypt decrypts one value: the bytes of a binary value of subtype 6.
func (e *Explicit) Decrypt(ctx context.Context, value []byte) (bson.RawValue, error) {
	if len(value) == 0 || !encryption.Payload(value[0]).Decryptable() {
		return bson.RawValue{}, fmt.Errorf("encrypt: the value is not one that a driver decrypts")
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, "v", bsontype.BinaryEncrypted, value)
	out, _, err := decrypt(ctx, e.Ring, bson.AppendDocumentEnd(dst, start))
	if err != nil {
		return bson.RawValue{}, err
	}
	return out.Lookup("v"), nil
}

// decrypt opens the encrypted values of a document. An indexed value names one key in the open and a second one under it.
//
// One walk is enough if the ring keeps all keys, as it usually does. Otherwise two more walks collect them.
func decrypt(ctx context.Context, ring *key.Ring, doc bson.Raw) (bson.Raw, bool, error) {
	keys := key.NewSet()
	defer keys.Wipe()
	out, changed, err := payload.Decrypt(doc, func(ref payload.Ref) (bson.UUID, *aead.Key, error) { return ring.Key(keys, ref) })
	if !errors.Is(err, key.ErrMissing) {
		return out, changed, err
	}
	refs, err := payload.NeededToDecrypt(doc, nil)
	if err != nil {
		return nil, false, err
	}
	if err := ring.Add(ctx, keys, refs); err != nil {
		return nil, false, err
	}
	if refs, err = payload.NeededToDecrypt(doc, keys.Key); err != nil {
		return nil, false, err
	}
	if err := ring.Add(ctx, keys, refs); err != nil {
		return nil, false, err
	}
	return payload.Decrypt(doc, keys.Key)
}
