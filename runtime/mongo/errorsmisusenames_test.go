package mongo_test

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// collectionNames are the operations of a collection whose handle has a name.
var collectionNames = map[string]func(m misuseScene, name string) error{
	"Find": func(m misuseScene, n string) error { _, err := m.db.Collection(n).Find(m.ctx, bson.D{}); return err },
	"InsertOne": func(m misuseScene, n string) error {
		_, err := m.db.Collection(n).InsertOne(m.ctx, bson.D{})
		return err
	},
	"BulkWrite": func(m misuseScene, n string) error {
		_, err := m.db.Collection(n).BulkWrite(m.ctx, someModels)
		return err
	},
	"Aggregate": func(m misuseScene, n string) error {
		_, err := m.db.Collection(n).Aggregate(m.ctx, bson.A{})
		return err
	},
	"Watch":       func(m misuseScene, n string) error { _, err := m.db.Collection(n).Watch(m.ctx, bson.A{}); return err },
	"Drop":        func(m misuseScene, n string) error { return m.db.Collection(n).Drop(m.ctx) },
	"ListIndexes": func(m misuseScene, n string) error { _, err := m.db.Collection(n).ListIndexes(m.ctx); return err },
	"SearchIndexes.List": func(m misuseScene, n string) error {
		_, err := m.db.Collection(n).SearchIndexes().List(m.ctx)
		return err
	},
	"CreateCollection": func(m misuseScene, n string) error { return m.db.CreateCollection(m.ctx, n) },
	"CreateView":       func(m misuseScene, n string) error { return m.db.CreateView(m.ctx, n, "c", bson.A{}) },
	"CreateView on":    func(m misuseScene, n string) error { return m.db.CreateView(m.ctx, "v", n, bson.A{}) },
	"ModifyCollection": func(m misuseScene, n string) error { return m.db.ModifyCollection(m.ctx, n) },
	"Rename":           func(m misuseScene, n string) error { return m.c.Rename(m.ctx, n) },
	"Client.BulkWrite": func(m misuseScene, n string) error {
		_, err := m.client.BulkWrite(m.ctx, []mongo.ClientBulkWrite{{Database: "a", Collection: n, Model: someModels[0]}})
		return err
	},
}

// databaseNames are the operations of a database whose handle has a name.
var databaseNames = map[string]func(m misuseScene, name string) error{
	"RunCommand": func(m misuseScene, n string) error {
		return m.client.Database(n).RunCommand(m.ctx, bson.Doc("ping", 1)).Err()
	},
	"Aggregate": func(m misuseScene, n string) error {
		_, err := m.client.Database(n).Aggregate(m.ctx, bson.A{})
		return err
	},
	"Watch": func(m misuseScene, n string) error { _, err := m.client.Database(n).Watch(m.ctx, bson.A{}); return err },
	"FindOne": func(m misuseScene, n string) error {
		return m.client.Database(n).Collection("c").FindOne(m.ctx, bson.D{}).Err()
	},
	"ListCollections": func(m misuseScene, n string) error {
		_, err := m.client.Database(n).ListCollections(m.ctx, bson.D{})
		return err
	},
	"Client.BulkWrite": func(m misuseScene, n string) error {
		_, err := m.client.BulkWrite(m.ctx, []mongo.ClientBulkWrite{{Database: n, Collection: "c", Model: someModels[0]}})
		return err
	},
}

// indexNames are the operations that take the name of an index.
var indexNames = map[string]func(m misuseScene, name string) error{
	"CreateIndex": func(m misuseScene, n string) error {
		_, err := m.c.CreateIndex(m.ctx, mongo.IndexModel{Keys: bson.Doc("a", 1), Options: &options.Index{Name: &n}})
		return err
	},
	"DropIndex": func(m misuseScene, n string) error { return m.c.DropIndex(m.ctx, n) },
}

// fieldNames are the operations that take the name of a field.
var fieldNames = map[string]func(m misuseScene, name string) error{
	"CreateIndex": func(m misuseScene, n string) error {
		_, err := m.c.CreateIndex(m.ctx, mongo.IndexModel{Keys: bson.Doc(n, 1)})
		return err
	},
	"DropIndexWithKey": func(m misuseScene, n string) error { return m.c.DropIndexWithKey(m.ctx, bson.Doc(n, 1)) },
	"Distinct":         func(m misuseScene, n string) error { return m.c.Distinct(m.ctx, n, bson.D{}).Err() },
}

var someModels = []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.D{}}}

// wrongNames combines each operation with each name that no server accepts.
func wrongNames() []misuse {
	var out []misuse
	names := func(methods map[string]func(m misuseScene, name string) error, what, name, words string) {
		for method, call := range methods {
			out = append(out, misuse{method + ": " + what, func(m misuseScene) error { return call(m, name) }, words})
		}
	}
	names(collectionNames, "a collection without a name", "", "name of the collection,empty")
	names(collectionNames, "a collection with a zero byte", "a\x00b", "name of the collection,zero byte,leave it out")
	names(collectionNames, "a collection that begins with a dot", ".a", "name of the collection,begins with a dot")
	names(databaseNames, "a database without a name", "", "name of the database,empty")
	names(databaseNames, "a database with a dot", "a.b", "name of the database,dot,Collection")
	names(databaseNames, "a database with a space", "a b", "name of the database,contains,leave it out")
	names(databaseNames, "a database with a zero byte", "a\x00", "name of the database,contains,leave it out")
	names(indexNames, "an index without a name", "", "name of the index,empty")
	names(indexNames, "an index with a zero byte", "a\x00", "name of the index,zero byte")
	names(indexNames, "the name of all indexes", "*", "index")
	names(fieldNames, "a field without a name", "", "field,empty,address.city")
	return out
}
