// The commands compactStructuredEncryptionData and cleanupStructuredEncryptionData, since 7.0: they shrink the state of
// a collection with encrypted fields.
//
// Left out: padding of the state, which needs an anchorPaddingFactor, and the second collection of entries that a
// server uses meanwhile.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var compactEncryptedFields = []field{
	{"compactionTokens", 0, document | required}, {"encryptionInformation", wire.Server80, document},
	{"anchorPaddingFactor", wire.Server80, anything},
}

var cleanupEncryptedFields = []field{{"cleanupTokens", 0, document | required}}

func (e *Engine) compactEncrypted(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	return e.runCompaction(ctx, r, dst, compactEncryptedFields, "compactionTokens", (*encrypted.Schema).Compact)
}

func (e *Engine) cleanupEncrypted(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	return e.runCompaction(ctx, r, dst, cleanupEncryptedFields, "cleanupTokens", (*encrypted.Schema).Cleanup)
}

// runCompaction runs one of the two commands.
func (e *Engine) runCompaction(ctx context.Context, r *Request, dst []byte, fields []field, tokens string,
	run func(*encrypted.Schema, map[string]encrypted.Token, encrypted.Writer) (encrypted.Stats, error)) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(fields)
	if err != nil {
		return nil, err
	}
	if e.standalone {
		return nil, status.Errorf(6346807, "%s can only be run on a replica set or sharded cluster", r.Name)
	}
	known, err := encrypted.Tokens(a.document(tokens))
	if err != nil {
		return nil, err
	}
	var stats encrypted.Stats
	err = e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Collection(r.DB, name)
		if c == nil {
			return status.Errorf(errcode.NamespaceNotFound, "Collection '%s.%s' does not exist", r.DB, name)
		}
		s, err := schemaOf(c)
		if err != nil {
			return err
		}
		if s == nil {
			return status.Errorf(6346807, "Target namespace is not an encrypted collection")
		}
		for _, f := range s.Fields {
			if _, ok := known[f.Path]; f.Indexed && !ok {
				return status.Errorf(7294900, "Missing compact token for '%s'", f.Path)
			}
		}
		state := &writtenState{e: e, r: r, tx: tx}
		if stats, err = run(s, known, state); err != nil {
			return err
		}
		return state.flush()
	})
	if err != nil {
		return nil, err
	}
	dst, start := bson.AppendDocumentElementStart(dst, "stats")
	dst, in := bson.AppendDocumentElementStart(dst, "ecoc")
	dst = bson.AppendInt64Element(dst, "read", stats.ECOCRead)
	dst = bson.AppendInt64Element(dst, "deleted", stats.ECOCDeleted)
	dst = bson.AppendDocumentEnd(dst, in)
	dst, in = bson.AppendDocumentElementStart(dst, "esc")
	dst = bson.AppendInt64Element(dst, "read", stats.ESCRead)
	dst = bson.AppendInt64Element(dst, "inserted", stats.ESCInserted)
	dst = bson.AppendInt64Element(dst, "updated", stats.ESCUpdated)
	dst = bson.AppendInt64Element(dst, "deleted", stats.ESCDeleted)
	return bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, in), start), nil
}

// schemaOf returns the encryption schema that a collection was created with. It is nil without encrypted fields.
func schemaOf(c *store.Collection) (*encrypted.Schema, error) {
	if c == nil || c.Options.Document == nil {
		return nil, nil
	}
	fields, ok := c.Options.Document.Lookup("encryptedFields").DocumentOK()
	if !ok {
		return nil, nil
	}
	return encrypted.NewSchema(c.DB, c.Name, fields)
}
