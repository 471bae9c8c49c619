package encrypt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// Auto encrypts the commands and decrypts the replies of a client. It is safe for concurrent use; its fields are set before
// the first call and not changed.
type Auto struct {
	Ring   *key.Ring
	Random io.Reader

	// EncryptedFields and Schemas come from the options, by namespace. They take precedence over what the server says.
	EncryptedFields map[string]bson.Raw
	Schemas         map[string]bson.Raw

	// Collections reads what a server says about collections of a database, as listCollections has it.
	Collections func(ctx context.Context, db string, names []string) ([]bson.Raw, error)

	// Bypass turns encryption off. BypassAnalysis turns only the analysis off: the program then encrypts values itself.
	Bypass         bool
	BypassAnalysis bool

	// analysis replaces queryanalysis.Analyze in tests that start from what another program has marked.
	analysis func(t queryanalysis.Target, cmd bson.Raw, schemas queryanalysis.Schemas) (queryanalysis.Result, error)

	mu    sync.Mutex
	known map[string]collection // by namespace
}

// collection is what is known about a collection.
type collection struct {
	schema *queryanalysis.Schema
	fields bson.Raw // encryptedFields with the ids of keys, nil without Queryable Encryption
	view   bool
	since  time.Time
}

// Check refuses options that contradict each other.
func (a *Auto) Check() error {
	for _, namespace := range slices.Sorted(maps.Keys(a.Schemas)) {
		if _, ok := a.EncryptedFields[namespace]; ok {
			return fmt.Errorf("encrypt: %s", analysis.InBothMaps(namespace))
		}
	}
	return nil
}

// SchemasWithoutEffect lists the namespaces whose schema in the options encrypts nothing, although encryption is its only
// purpose. An invalid schema is not in the list: the first command that needs it returns an error.
func (a *Auto) SchemasWithoutEffect() (namespaces []string) {
	for namespace, schema := range a.Schemas {
		if s, err := queryanalysis.FromJSONSchema(schema, false); err == nil && s.Mode() == queryanalysis.None {
			namespaces = append(namespaces, namespace)
		}
	}
	slices.Sort(namespaces)
	return namespaces
}

// Encrypts reports whether commands are encrypted at all.
func (a *Auto) Encrypts() bool { return !a.Bypass }

// errOtherDatabase refuses a command that a server might run on a database whose schemas were not asked for.
var errOtherDatabase = errors.New("encrypt: the $db of the command is not the database that it is sent to")

// Encrypt returns the command to send: it encrypts the values that the schemas name, and adds what the server needs to index and
// search them.
func (a *Auto) Encrypt(ctx context.Context, db string, cmd bson.Raw) (bson.Raw, error) {
	named := cmd.Lookup(wire.FieldDB)
	if named.IsZero() {
		return a.encrypt(ctx, db, cmd)
	}
	if other, ok := named.StringOK(); !ok || other != db {
		return nil, fault.PartOfEncryption(fault.ErrQueryAnalysis, errOtherDatabase)
	}
	// The analysis takes no $db. It is appended again as the last element.
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(cmd)))
	for name, value := range cmd.All() {
		if name != wire.FieldDB {
			dst = bson.AppendRawValueElement(dst, name, value)
		}
	}
	out, err := a.encrypt(ctx, db, bson.AppendDocumentEnd(dst, start))
	if err != nil {
		return nil, err
	}
	dst = append(make([]byte, 0, len(out)+len(wire.FieldDB)+2+len(named.Value)), out[:len(out)-1]...)
	return bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, wire.FieldDB, named), 0), nil
}

func (a *Auto) encrypt(ctx context.Context, db string, cmd bson.Raw) (bson.Raw, error) {
	target, err := queryanalysis.Inspect(db, cmd)
	if err != nil {
		return nil, fault.PartOfEncryption(fault.ErrQueryAnalysis, err)
	}
	a.forget(target, cmd)
	if target.Class == queryanalysis.Bypassed {
		if target.Information == analysis.InformationCompact {
			return a.addCompactionTokens(ctx, target, cmd)
		}
		return cmd, nil
	}
	known, err := a.resolve(ctx, target)
	if err != nil {
		return nil, err
	}
	result, err := a.analyze(target, cmd, known)
	if err == nil {
		err = a.checkMapped(target, cmd, known)
	}
	if err != nil {
		return nil, fault.PartOfEncryption(fault.ErrQueryAnalysis, err)
	}
	if result.Marked {
		if result.Command, err = a.seal(ctx, result.Command); err != nil {
			return nil, err
		}
	}
	if target.EncryptedFields != nil {
		return a.completeFields(ctx, target, result.Command, known[target.Collection].fields)
	}
	if result.Mode != queryanalysis.QE && known[target.Collection].fields == nil { // fields: [] encrypts nothing, but the server gets it
		return result.Command, nil
	}
	return addInformation(target, result.Command, known)
}

// analyze marks what is to be encrypted.
func (a *Auto) analyze(target queryanalysis.Target, cmd bson.Raw, known map[string]collection) (queryanalysis.Result, error) {
	switch {
	case a.BypassAnalysis:
		result := queryanalysis.Result{Command: cmd}
		if c, ok := known[target.Collection]; ok {
			result.Mode = c.schema.Mode()
		}
		return result, nil
	case a.analysis != nil:
		return a.analysis(target, cmd, schemasOf(known))
	}
	result, err := queryanalysis.Analyze(target, cmd, schemasOf(known))
	if err == nil && (result.Marked || result.Mode == queryanalysis.QE) {
		result.Command = spellOut(target.Name, result.Command)
	}
	return result, err
}

// checkMapped checks a validator with a JSON schema, which precedes the schema of the options, against that one as well: a validator
// compares with no field that either of them encrypts.
func (a *Auto) checkMapped(t queryanalysis.Target, cmd bson.Raw, known map[string]collection) error {
	mapped := a.Schemas[t.Database+"."+t.Collection]
	if mapped == nil || t.JSONSchema == nil || a.BypassAnalysis {
		return nil
	}
	s, err := queryanalysis.FromJSONSchema(mapped, false)
	if err != nil {
		return err
	}
	schemas := schemasOf(known)
	schemas[t.Collection] = s
	_, err = queryanalysis.Analyze(t, cmd, schemas)
	return err
}

// seal encrypts what analysis marked. One walk is enough if the ring keeps all keys, as it usually does. Otherwise a second walk
// collects the keys, so the key vault is asked only once, and a third one encrypts.
func (a *Auto) seal(ctx context.Context, cmd bson.Raw) (bson.Raw, error) {
	keys := key.NewSet()
	defer keys.Wipe()
	sealed, err := payload.Encrypt(cmd, func(ref payload.Ref) (bson.UUID, *aead.Key, error) { return a.Ring.Key(keys, ref) }, a.Random)
	if errors.Is(err, key.ErrMissing) {
		var refs []payload.Ref
		if refs, err = payload.KeysToEncrypt(cmd); err != nil {
			return nil, err
		}
		if err = a.Ring.Add(ctx, keys, refs); err != nil {
			return nil, err
		}
		sealed, err = payload.Encrypt(cmd, keys.Key, a.Random)
	}
	if err != nil {
		return nil, err
	}
	// A marking that is left would be a value in plain text.
	if left, err := payload.KeysToEncrypt(sealed); err != nil || len(left) > 0 {
		return nil, errors.Join(errors.New("encrypt: a value that is to be encrypted is left in the command"), err)
	}
	return sealed, nil
}

func schemasOf(known map[string]collection) queryanalysis.Schemas {
	out := queryanalysis.Schemas{}
	for name, c := range known {
		out[name] = c.schema
	}
	return out
}
