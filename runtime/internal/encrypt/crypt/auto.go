package crypt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/encrypt/analyze"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
)

// Auto encrypts the commands and decrypts the replies of a client. It is safe for concurrent use; its fields are set before
// the first call and not changed.
type Auto struct {
	Ring   *key.Ring
	Random io.Reader

	// EncryptedFields and Schemas are those of the options, by namespace. They precede what the server says.
	EncryptedFields map[string]bson.Raw
	Schemas         map[string]bson.Raw

	// Collections reads what a server says about collections of a database, as listCollections has it.
	Collections func(ctx context.Context, db string, names []string) ([]bson.Raw, error)

	// Bypass encrypts nothing, and BypassAnalysis only what the program encrypted already.
	Bypass         bool
	BypassAnalysis bool

	mu    sync.Mutex
	known map[string]collection // by namespace
}

// collection is what is known about a collection.
type collection struct {
	schema *analyze.Schema
	fields bson.Raw // encryptedFields with the ids of keys, nil without Queryable Encryption
	view   bool
	since  time.Time
}

// Check refuses options that contradict each other.
func (a *Auto) Check() error {
	for namespace := range a.Schemas {
		if _, ok := a.EncryptedFields[namespace]; ok {
			return fmt.Errorf("encrypt: %s is present in both schema_map and encrypted_field_config_map", namespace)
		}
	}
	return nil
}

// Encrypts reports whether commands are encrypted at all.
func (a *Auto) Encrypts() bool { return !a.Bypass }

// Encrypt returns the command to send: with the values encrypted that the schemas say, and with what the server needs to
// index and to search them.
func (a *Auto) Encrypt(ctx context.Context, db string, cmd bson.Raw) (bson.Raw, error) {
	target, err := analyze.Inspect(db, cmd)
	if err != nil {
		return nil, err
	}
	if target.Class == analyze.Bypassed {
		if target.Information == analysis.InformationCompact {
			return a.compact(ctx, target, cmd)
		}
		return cmd, nil
	}
	known, err := a.resolve(ctx, target)
	if err != nil {
		return nil, err
	}
	result := analyze.Result{Command: cmd}
	if a.BypassAnalysis {
		if c, ok := known[target.Collection]; ok {
			result.Mode = c.schema.Mode()
		}
	} else if result, err = analyze.Analyze(target, cmd, schemasOf(known)); err != nil {
		return nil, err
	}
	if !a.BypassAnalysis && (result.Marked || result.Mode == analyze.QE) {
		result.Command = spellOut(target.Name, result.Command)
	}
	if result.Marked {
		if result.Command, err = a.seal(ctx, result.Command); err != nil {
			return nil, err
		}
	}
	if result.Mode != analyze.QE && known[target.Collection].fields == nil { // fields: [] encrypts nothing, yet is told
		return result.Command, nil
	}
	return inform(target, result.Command, known)
}

// seal encrypts what analysis marked.
func (a *Auto) seal(ctx context.Context, cmd bson.Raw) (bson.Raw, error) {
	refs, err := payload.NeededToEncrypt(cmd)
	if err != nil {
		return nil, err
	}
	keys := key.NewSet()
	defer keys.Wipe()
	if err := a.Ring.Add(ctx, keys, refs); err != nil {
		return nil, err
	}
	sealed, err := payload.Encrypt(cmd, keys.Key, a.Random)
	if err != nil {
		return nil, err
	}
	// A marking that were left would be a value in plain text.
	if left, err := payload.NeededToEncrypt(sealed); err != nil || len(left) > 0 {
		return nil, errors.Join(errors.New("encrypt: a value that is to be encrypted is left in the command"), err)
	}
	return sealed, nil
}

// Decrypt opens the encrypted values of a reply.
func (a *Auto) Decrypt(ctx context.Context, reply bson.Raw) (bson.Raw, error) {
	out, _, err := decrypt(ctx, a.Ring, reply)
	return out, err
}

func schemasOf(known map[string]collection) analyze.Schemas {
	out := analyze.Schemas{}
	for name, c := range known {
		out[name] = c.schema
	}
	return out
}
