package mongo

import (
	"cmp"
	"context"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/encrypt"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// CreateEncryptedCollection creates a collection with encrypted fields. It makes a data key for each field whose keyId
// is null in the EncryptedFields of the options. It returns the EncryptedFields with their keys, even with an error, so
// keys already made are not lost.
//
// A client whose AutoEncryption has an EncryptedFieldsMap does not learn of the new collection.
func (e *ClientEncryption) CreateEncryptedCollection(ctx context.Context, db *Database, name, kmsProvider string,
	masterKey any, opts ...*options.CreateCollection) (*Collection, bson.Raw, error) {
	if err := cmp.Or(e.check(ctx), db.check(ctx)); err != nil {
		return nil, nil, err
	}
	o := options.CreateCollection{}
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	if o.EncryptedFields == nil {
		return nil, nil, errors.New("mongo: creating an encrypted collection: no EncryptedFields defined for the collection")
	}
	given, err := encode.Document(db.scope.marshal, "encrypted fields", o.EncryptedFields)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := e.boundContext(ctx)
	defer cancel()
	filled, err := fillKeys(given, func() (bson.UUID, error) {
		return e.CreateDataKey(ctx, kmsProvider, &options.DataKey{MasterKey: masterKey})
	})
	if err != nil {
		return nil, filled, err
	}
	o.EncryptedFields = filled
	if err := db.CreateCollection(ctx, name, &o); err != nil {
		return nil, filled, err
	}
	return db.Collection(name), filled, nil
}

// fillKeys copies encryptedFields and puts a new data key wherever keyId is null. After an error the rest is copied as
// it is.
//
// Client Side Encryption, "Create Encrypted Collection Helper".
func fillKeys(given bson.Raw, create func() (bson.UUID, error)) (bson.Raw, error) {
	var failed error
	filled, err := encrypt.RewriteList(given, encryption.FieldFields, func(dst []byte, field bson.Raw) ([]byte, error) {
		if field.Lookup(encryption.FieldKeyID).Type != bsontype.Null || failed != nil {
			return append(dst, field...), nil
		}
		id, err := create()
		if failed = err; err != nil {
			return append(dst, field...), nil
		}
		dst, start := bson.AppendDocumentStart(dst)
		for key, value := range field.All() {
			if key == encryption.FieldKeyID {
				dst = bson.AppendBinaryElement(dst, key, bsontype.BinaryUUID, id[:])
			} else {
				dst = bson.AppendRawValueElement(dst, key, value)
			}
		}
		return bson.AppendDocumentEnd(dst, start), nil
	})
	return filled, errors.Join(err, failed)
}

// stateCollections returns the names of the metadata collections of a collection with encrypted fields.
func stateCollections(fields bson.Raw, collection string) []string {
	var names []string
	for _, c := range []struct{ field, suffix string }{{encryption.FieldESCCollection, ".esc"}, {encryption.FieldECOCCollection, ".ecoc"}} {
		name, ok := fields.Lookup(c.field).StringOK()
		if !ok {
			name = encryption.StatePrefix + collection + c.suffix
		}
		names = append(names, name)
	}
	return names
}

// createEncrypted creates a collection with encrypted fields, and the other collections that Queryable Encryption
// needs.
//
// Client Side Encryption, "Create Collection Helper".
func (d *Database) createEncrypted(ctx context.Context, name string, o options.CreateCollection, fields bson.Raw) error {
	clustered := &options.CreateCollection{
		ClusteredIndex: bson.Doc("key", bson.Doc("_id", 1), "unique", true), Timeout: o.Timeout,
	}
	for _, state := range stateCollections(fields, name) {
		if err := d.writeQueryable(ctx, &command.CreateCollection{Collection: state, Options: clustered}); err != nil {
			return err
		}
	}
	o.EncryptedFields = fields
	if err := d.writeQueryable(ctx, &command.CreateCollection{Collection: name, Options: &o}); err != nil {
		return err
	}
	_, err := d.Collection(name).Indexes().CreateOne(ctx, IndexModel{Keys: bson.Doc("__safeContent__", 1)})
	return err
}

// writeQueryable sends a command that an old server must not get: it would create a collection and encrypt nothing.
func (d *Database) writeQueryable(ctx context.Context, c exec.Command) error {
	return d.runWithoutResult(ctx, &exec.Operation{
		Command: c, DB: d.name, WriteConcern: d.scope.writeConcern, MinWireVersion: int32(wire.Server70), TooOld: errQueryable,
	})
}

// errQueryable has the specification's text.
var errQueryable = errors.New("mongo: " + analysis.Incompatible())

// dropEncrypted drops the metadata collections of a collection with encrypted fields. Missing ones are not an error.
//
// Client Side Encryption, "Drop Collection Helper".
func (c *Collection) dropEncrypted(ctx context.Context, o *options.DropCollection, fields bson.Raw) error {
	for _, state := range stateCollections(fields, c.name) {
		other := c.db.Collection(state)
		if err := other.drop(ctx, other.dropOperation(o)); err != nil {
			return encode.At(err, "dropping a state collection")
		}
	}
	return nil
}

// encryptedFields returns the fields for a new collection: from the options, or from the client's AutoEncryption.
//
// Client Side Encryption, "Collection encryptedFields Lookup (GetEncryptedFields)".
func (d *Database) encryptedFields(o *options.CreateCollection, name string) (bson.Raw, error) {
	if o != nil && o.EncryptedFields != nil {
		return encode.Document(d.scope.marshal, "encrypted fields", o.EncryptedFields)
	}
	if d.client.encryption == nil || o != nil && o.ViewOn != nil {
		return nil, nil
	}
	return d.client.encryption.fieldsOf(d.name + "." + name), nil
}

// encryptedFields returns the fields of a collection to be dropped. A client with AutoEncryption asks the server if
// neither the options nor its settings have them.
func (c *Collection) encryptedFields(ctx context.Context, o *options.DropCollection) (bson.Raw, error) {
	if o != nil && o.EncryptedFields != nil {
		return encode.Document(c.scope.marshal, "encrypted fields", o.EncryptedFields)
	}
	if c.db.client.encryption == nil {
		return nil, nil
	}
	if fields := c.db.client.encryption.fieldsOf(c.db.name + "." + c.name); fields != nil {
		return fields, nil
	}
	infos, err := collectionInfos(ctx, c.db, []string{c.name})
	if err != nil || len(infos) == 0 {
		return nil, err
	}
	fields, _ := infos[0].Lookup("options", encryption.FieldEncryptedFields).DocumentOK()
	return fields, nil
}

// collectionInfos asks the server for its descriptions of collections.
func collectionInfos(ctx context.Context, d *Database, names []string) ([]bson.Raw, error) {
	filter := bson.Doc("name", names[0])
	if len(names) > 1 {
		filter = bson.Doc("name", bson.Doc("$in", names))
	}
	cursor, err := d.ListCollections(ctx, filter)
	if err != nil {
		return nil, err
	}
	var infos []bson.Raw
	return infos, cursor.All(ctx, &infos)
}
