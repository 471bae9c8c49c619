package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// CollectionSpecification describes a collection or a view.
type CollectionSpecification struct {
	Name     string
	Type     string // collection, view or timeseries
	ReadOnly bool
	UUID     *bson.UUID         // nil for a view
	Options  bson.Raw           // the options that the collection was created with
	IDIndex  IndexSpecification // zero for a view
}

// IndexSpecification describes an index.
type IndexSpecification struct {
	Name               string
	Namespace          string // of the collection
	KeysDocument       bson.Raw
	Version            int32
	ExpireAfterSeconds *int32
	Sparse             *bool
	Unique             *bool
	Clustered          *bool
}

// indexDocument is an index as the server describes it.
type indexDocument struct {
	Name               string   `bson:"name"`
	Key                bson.Raw `bson:"key"`
	Version            int32    `bson:"v"`
	ExpireAfterSeconds *int32   `bson:"expireAfterSeconds,truncate"`
	Sparse             *bool    `bson:"sparse"`
	Unique             *bool    `bson:"unique"`
	Clustered          *bool    `bson:"clustered"`
}

func (d *indexDocument) specification(namespace string) IndexSpecification {
	return IndexSpecification{
		Name: d.Name, Namespace: namespace, KeysDocument: d.Key, Version: d.Version,
		ExpireAfterSeconds: d.ExpireAfterSeconds, Sparse: d.Sparse, Unique: d.Unique, Clustered: d.Clustered,
	}
}

// ListCollectionSpecifications describes the collections that match a filter.
func (d *Database) ListCollectionSpecifications(ctx context.Context, filter any,
	opts ...*options.ListCollections) ([]CollectionSpecification, error) {
	cursor, err := d.ListCollections(ctx, filter, opts...)
	if err != nil {
		return nil, err
	}
	list := []CollectionSpecification{}
	type document struct {
		Name string `bson:"name"`
		Type string `bson:"type"`
		Info struct {
			ReadOnly bool       `bson:"readOnly"`
			UUID     *bson.UUID `bson:"uuid"`
		} `bson:"info"`
		Options bson.Raw       `bson:"options"`
		IDIndex *indexDocument `bson:"idIndex"`
	}
	for doc, err := range Each[document](ctx, cursor) {
		if err != nil {
			return nil, err
		}
		spec := CollectionSpecification{
			Name: doc.Name, Type: doc.Type, ReadOnly: doc.Info.ReadOnly, UUID: doc.Info.UUID, Options: doc.Options,
		}
		if doc.IDIndex != nil {
			spec.IDIndex = doc.IDIndex.specification(d.name + "." + doc.Name)
		}
		list = append(list, spec)
	}
	return list, nil
}

// ListCollectionObjects returns a handle for each collection that matches a filter.
func (d *Database) ListCollectionObjects(ctx context.Context, filter any, opts ...*options.ListCollections) ([]*Collection, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	names, err := d.ListCollectionNames(ctx, filter, opts...)
	if err != nil {
		return nil, err
	}
	list := make([]*Collection, len(names))
	for i, name := range names {
		list[i] = d.Collection(name)
	}
	return list, nil
}

// ListDatabaseObjects returns a handle for each database that matches a filter.
func (c *Client) ListDatabaseObjects(ctx context.Context, filter any, opts ...*options.ListDatabases) ([]*Database, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	names, err := c.ListDatabaseNames(ctx, filter, opts...)
	if err != nil {
		return nil, err
	}
	list := make([]*Database, len(names))
	for i, name := range names {
		list[i] = c.Database(name)
	}
	return list, nil
}

// ListIndexSpecifications describes the indexes of the collection.
func (c *Collection) ListIndexSpecifications(ctx context.Context, opts ...*options.ListIndexes) ([]IndexSpecification, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	cursor, err := c.ListIndexes(ctx, opts...)
	if err != nil {
		return nil, err
	}
	list := []IndexSpecification{}
	for doc, err := range Each[indexDocument](ctx, cursor) {
		if err != nil {
			return nil, err
		}
		list = append(list, doc.specification(c.db.name+"."+c.name))
	}
	return list, nil
}
