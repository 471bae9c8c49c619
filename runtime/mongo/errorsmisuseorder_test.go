package mongo_test

import (
	"context"
	"io"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// orderMisuses calls the methods with an option in which the order of keys counts.
func orderMisuses() []misuse {
	const sort, hint, bound = "in the sort", "in the hint", "in the bound of an index"
	var out []misuse
	add := func(method, what string, call func(m misuseScene, v any) error) {
		v := map[string]int{"a": 1, "b": 1}
		out = append(out, misuse{method + ": a map " + what, func(m misuseScene) error { return call(m, v) }, "order," + what + ",bson.D"})
	}
	only := func(_ any, err error) error { return err }
	bulk := func(m misuseScene, model mongo.WriteModel) error {
		return only(m.c.BulkWrite(m.ctx, []mongo.WriteModel{model}))
	}
	explain := func(m misuseScene, e mongo.Explainable) error { return m.c.Explain(m.ctx, e, "").Err() }
	add("Find", hint, func(m misuseScene, v any) error { return only(m.c.Find(m.ctx, bson.D{}, &options.Find{Hint: v})) })
	add("Find", bound, func(m misuseScene, v any) error { return only(m.c.Find(m.ctx, bson.D{}, &options.Find{Min: v})) })
	add("Find Max", bound, func(m misuseScene, v any) error { return only(m.c.Find(m.ctx, bson.D{}, &options.Find{Max: v})) })
	add("FindOne", sort, func(m misuseScene, v any) error { return m.c.FindOne(m.ctx, bson.D{}, &options.FindOne{Sort: v}).Err() })
	add("FindOne", hint, func(m misuseScene, v any) error { return m.c.FindOne(m.ctx, bson.D{}, &options.FindOne{Hint: v}).Err() })
	add("FindOne Min", bound, func(m misuseScene, v any) error { return m.c.FindOne(m.ctx, bson.D{}, &options.FindOne{Min: v}).Err() })
	add("FindOne Max", bound, func(m misuseScene, v any) error { return m.c.FindOne(m.ctx, bson.D{}, &options.FindOne{Max: v}).Err() })
	add("FindOneAndDelete", sort, func(m misuseScene, v any) error {
		return m.c.FindOneAndDelete(m.ctx, bson.D{}, &options.FindOneAndDelete{Sort: v}).Err()
	})
	add("FindOneAndDelete", hint, func(m misuseScene, v any) error {
		return m.c.FindOneAndDelete(m.ctx, bson.D{}, &options.FindOneAndDelete{Hint: v}).Err()
	})
	add("FindOneAndUpdate", sort, func(m misuseScene, v any) error {
		return m.c.FindOneAndUpdate(m.ctx, bson.D{}, someUpdate, &options.FindOneAndUpdate{Sort: v}).Err()
	})
	add("FindOneAndUpdate", hint, func(m misuseScene, v any) error {
		return m.c.FindOneAndUpdate(m.ctx, bson.D{}, someUpdate, &options.FindOneAndUpdate{Hint: v}).Err()
	})
	add("FindOneAndReplace", sort, func(m misuseScene, v any) error {
		return m.c.FindOneAndReplace(m.ctx, bson.D{}, bson.D{}, &options.FindOneAndReplace{Sort: v}).Err()
	})
	add("FindOneAndReplace", hint, func(m misuseScene, v any) error {
		return m.c.FindOneAndReplace(m.ctx, bson.D{}, bson.D{}, &options.FindOneAndReplace{Hint: v}).Err()
	})
	add("UpdateOne", sort, func(m misuseScene, v any) error {
		return only(m.c.UpdateOne(m.ctx, bson.D{}, someUpdate, &options.UpdateOne{Sort: v}))
	})
	add("UpdateOne", hint, func(m misuseScene, v any) error {
		return only(m.c.UpdateOne(m.ctx, bson.D{}, someUpdate, &options.UpdateOne{Hint: v}))
	})
	add("UpdateMany", hint, func(m misuseScene, v any) error {
		return only(m.c.UpdateMany(m.ctx, bson.D{}, someUpdate, &options.UpdateMany{Hint: v}))
	})
	add("ReplaceOne", sort, func(m misuseScene, v any) error {
		return only(m.c.ReplaceOne(m.ctx, bson.D{}, bson.D{}, &options.ReplaceOne{Sort: v}))
	})
	add("ReplaceOne", hint, func(m misuseScene, v any) error {
		return only(m.c.ReplaceOne(m.ctx, bson.D{}, bson.D{}, &options.ReplaceOne{Hint: v}))
	})
	add("DeleteOne", hint, func(m misuseScene, v any) error {
		return only(m.c.DeleteOne(m.ctx, bson.D{}, &options.DeleteOne{Hint: v}))
	})
	add("DeleteMany", hint, func(m misuseScene, v any) error {
		return only(m.c.DeleteMany(m.ctx, bson.D{}, &options.DeleteMany{Hint: v}))
	})
	add("Aggregate", hint, func(m misuseScene, v any) error {
		return only(m.c.Aggregate(m.ctx, bson.A{}, &options.Aggregate{Hint: v}))
	})
	add("CountDocuments", hint, func(m misuseScene, v any) error {
		return only(m.c.CountDocuments(m.ctx, bson.D{}, &options.Count{Hint: v}))
	})
	add("Distinct", hint, func(m misuseScene, v any) error {
		return m.c.Distinct(m.ctx, "a", bson.D{}, &options.Distinct{Hint: v}).Err()
	})
	add("BulkWrite of an update", hint, func(m misuseScene, v any) error {
		return bulk(m, &mongo.UpdateOneModel{Filter: bson.D{}, Update: someUpdate, Hint: v})
	})
	add("BulkWrite of an update", sort, func(m misuseScene, v any) error {
		return bulk(m, &mongo.UpdateOneModel{Filter: bson.D{}, Update: someUpdate, Sort: v})
	})
	add("BulkWrite of updates", hint, func(m misuseScene, v any) error {
		return bulk(m, &mongo.UpdateManyModel{Filter: bson.D{}, Update: someUpdate, Hint: v})
	})
	add("BulkWrite of a replacement", hint, func(m misuseScene, v any) error {
		return bulk(m, &mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: bson.D{}, Hint: v})
	})
	add("BulkWrite of a replacement", sort, func(m misuseScene, v any) error {
		return bulk(m, &mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: bson.D{}, Sort: v})
	})
	add("BulkWrite of a delete", hint, func(m misuseScene, v any) error { return bulk(m, &mongo.DeleteOneModel{Filter: bson.D{}, Hint: v}) })
	add("BulkWrite of deletes", hint, func(m misuseScene, v any) error { return bulk(m, &mongo.DeleteManyModel{Filter: bson.D{}, Hint: v}) })
	add("ExplainFind", sort, func(m misuseScene, v any) error {
		return explain(m, mongo.ExplainFind(bson.D{}, &options.Find{Sort: v}))
	})
	add("ExplainFind", hint, func(m misuseScene, v any) error {
		return explain(m, mongo.ExplainFind(bson.D{}, &options.Find{Hint: v}))
	})
	add("ExplainFind", bound, func(m misuseScene, v any) error {
		return explain(m, mongo.ExplainFind(bson.D{}, &options.Find{Max: v}))
	})
	add("ExplainAggregate", hint, func(m misuseScene, v any) error {
		return explain(m, mongo.ExplainAggregate(bson.A{}, &options.Aggregate{Hint: v}))
	})
	add("ExplainDistinct", hint, func(m misuseScene, v any) error {
		return explain(m, mongo.ExplainDistinct("a", bson.D{}, &options.Distinct{Hint: v}))
	})
	return out
}

// unencodable is a value that no BSON type can hold.
var unencodable = bson.M{"a": func() {}}

// misusedContents are rows of TestMisuseIsExplained: values that cannot be encoded or decoded, and sessions that have
// ended.
var misusedContents = []misuse{
	{"FindOne: a filter that cannot be encoded", func(m misuseScene) error { return m.c.FindOne(m.ctx, unencodable).Err() }, "filter,func()"},
	{"FindOne: elements that cannot be encoded", func(m misuseScene) error {
		return m.c.FindOne(m.ctx, []bson.E{{Key: "a", Value: func() {}}}).Err()
	}, "filter: bson: a: there,func()"},
	{"UpdateOne: a hint that cannot be encoded", func(m misuseScene) error {
		_, err := m.c.UpdateOne(m.ctx, bson.D{}, someUpdate, &options.UpdateOne{Hint: unencodable})
		return err
	}, "func()"},
	{"Explain: a hint that cannot be encoded", func(m misuseScene) error {
		return m.c.Explain(m.ctx, mongo.ExplainFind(bson.D{}, &options.Find{Hint: unencodable}), "").Err()
	}, "func()"},
	{"Explain: a hint of an update that cannot be encoded", func(m misuseScene) error {
		model := &mongo.UpdateOneModel{Filter: bson.D{}, Update: someUpdate, Hint: unencodable}
		return m.c.Explain(m.ctx, mongo.ExplainWrite(model), "").Err()
	}, "func()"},
	{"Explain: an update without a filter", func(m misuseScene) error {
		return m.c.Explain(m.ctx, mongo.ExplainWrite(&mongo.UpdateOneModel{Update: someUpdate}), "").Err()
	}, "filter,nil"},
	{"Explain: an insert", func(m misuseScene) error {
		return m.c.Explain(m.ctx, mongo.ExplainWrite(&mongo.InsertOneModel{Document: bson.D{}}), "").Err()
	}, "InsertOneModel,pass a model of an update"},
	{"MapReduce: a number as the place of its results", func(m misuseScene) error {
		_, err := m.c.MapReduce(m.ctx, "", "", 7)
		return err
	}, "out,int"},
	{"MapReduce: no place for its results", func(m misuseScene) error { _, err := m.c.MapReduce(m.ctx, "", "", ""); return err }, "MapReduce,nowhere"},
	{"CreateIndex: keys that cannot be encoded", func(m misuseScene) error {
		_, err := m.c.CreateIndex(m.ctx, mongo.IndexModel{Keys: unencodable})
		return err
	}, "index 0,key,func()"},
	{"SearchIndexes: a definition that cannot be encoded", func(m misuseScene) error {
		_, err := m.c.SearchIndexes().CreateOne(m.ctx, mongo.SearchIndexModel{Definition: unencodable})
		return err
	}, "definition,func()"},
	{"SearchIndexes: an update that cannot be encoded", func(m misuseScene) error {
		return m.c.SearchIndexes().UpdateOne(m.ctx, "a", unencodable)
	}, "definition,func()"},
	{"ListCollectionNames: a filter that cannot be encoded", func(m misuseScene) error {
		_, err := m.db.ListCollectionNames(m.ctx, unencodable)
		return err
	}, "filter,func()"},
	{"GridFS: metadata that cannot be encoded", func(m misuseScene) error {
		_, err := m.bucket.UploadFromStream(m.ctx, "a", strings.NewReader("a"), &options.GridFSUpload{Metadata: unencodable})
		return err
	}, "metadata,func()"},
	{"GridFS: an ID that cannot be encoded", func(m misuseScene) error {
		return m.bucket.UploadFromStreamWithID(m.ctx, func() {}, "a", strings.NewReader("a"))
	}, "func()"},
	{"GridFS: an ID that nothing has", func(m misuseScene) error {
		_, err := m.bucket.DownloadToStream(m.ctx, 77, io.Discard)
		return err
	}, "no such file,77"},
	{"NewCursorFromDocuments: one that cannot be encoded", func(m misuseScene) error {
		_, err := mongo.NewCursorFromDocuments([]any{bson.D{}, unencodable}, nil)
		return err
	}, "document 1,func()"},
	{"All: a document that does not fit", func(m misuseScene) error {
		_, err := mongo.All[struct{ A int }](m.ctx, oneText(m))
		return err
	}, "document 1,string,int"},
	{"Each: a document that does not fit", func(m misuseScene) error {
		for _, err := range mongo.Each[struct{ A int }](m.ctx, oneText(m)) {
			return err
		}
		return nil
	}, "document 1,string,int"},
	{"Cursor.All: a document that does not fit", func(m misuseScene) error {
		var list []struct{ A int }
		return oneText(m).All(m.ctx, &list)
	}, "document 1,string,int"},
	{"Cursor.Decode: a document that does not fit", func(m misuseScene) error {
		cursor := oneText(m)
		cursor.Next(m.ctx)
		return cursor.Decode(new(struct{ A int }))
	}, "document 1,string,int"},
	{"Cursor.Decode: before Next", func(m misuseScene) error { return oneText(m).Decode(new(bson.D)) }, "no current document,Next"},
	{"ChangeStream.Decode: before Next", func(m misuseScene) error {
		stream, err := m.c.Watch(m.ctx, bson.A{})
		if err != nil {
			m.t.Fatal(err)
		}
		defer stream.Close(m.ctx)
		return stream.Decode(new(bson.D))
	}, "no current event,Next"},
	{"ChangeStream.Decode: an event that does not fit", func(m misuseScene) error {
		stream, err := m.c.Watch(m.ctx, bson.A{})
		if err != nil {
			m.t.Fatal(err)
		}
		defer stream.Close(m.ctx)
		if _, err := m.c.InsertOne(m.ctx, bson.D{}); err != nil || !stream.Next(m.ctx) {
			m.t.Fatal(err, stream.Err())
		}
		return stream.Decode(new(struct{ OperationType int }))
	}, "event,string,int"},
	{"AdvanceClusterTime: an ended session", func(m misuseScene) error { m.session.EndSession(m.ctx); return m.session.AdvanceClusterTime(nil) }, "session,ended"},
	{"AdvanceOperationTime: an ended session", func(m misuseScene) error {
		m.session.EndSession(m.ctx)
		return m.session.AdvanceOperationTime(&bson.Timestamp{T: 1})
	}, "session,ended"},
	{"CommitTransaction: an ended session", func(m misuseScene) error { m.session.EndSession(m.ctx); return m.session.CommitTransaction(m.ctx) }, "session,ended"},
	{"AbortTransaction: an ended session", func(m misuseScene) error { m.session.EndSession(m.ctx); return m.session.AbortTransaction(m.ctx) }, "session,ended"},
	{"Client.BulkWrite: a write concern in a transaction", func(m misuseScene) error {
		return m.client.UseSession(m.ctx, func(ctx context.Context, s *mongo.Session) error {
			if err := s.StartTransaction(); err != nil {
				m.t.Fatal(err)
			}
			writes := []mongo.ClientBulkWrite{{Database: "a", Collection: "b", Model: someModels[0]}}
			_, err := m.client.BulkWrite(ctx, writes, &options.ClientBulkWrite{WriteConcern: mongo.Majority()})
			return err
		})
	}, "write concern,transaction"},
	misuseOfKeys("a value that cannot be encrypted", "value to encrypt,func()", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.Encrypt(m.ctx, func() {}, &options.Encrypt{KeyAltName: new("a"), Algorithm: options.AlgorithmRandom})
		return err
	}),
	misuseOfKeys("an expression without options", "KeyID,KeyAltName", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.EncryptExpression(m.ctx, bson.D{})
		return err
	}),
	misuseOfKeys("an expression that is no document", "expression,int", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.EncryptExpression(m.ctx, 7, &options.Encrypt{KeyAltName: new("a"), Algorithm: options.AlgorithmRange,
			RangeOptions: &options.Range{Min: 1, Max: 2}, ContentionFactor: new(int64(0)), QueryType: new("range")})
		return err
	}),
	misuseOfKeys("an expression that is no range", "encrypting an expression", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.EncryptExpression(m.ctx, bson.D{}, &options.Encrypt{KeyAltName: new("a"), Algorithm: options.AlgorithmRange,
			RangeOptions: &options.Range{Min: 1, Max: 2}, ContentionFactor: new(int64(0)), QueryType: new("range")})
		return err
	}),
	misuseOfKeys("a bound that cannot be encoded", "range options,func()", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.Encrypt(m.ctx, 1, &options.Encrypt{KeyAltName: new("a"), Algorithm: options.AlgorithmRange,
			RangeOptions: &options.Range{Min: func() {}}, ContentionFactor: new(int64(0))})
		return err
	}),
	misuseOfKeys("a binary that is not encrypted", "subtype 0,6", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.Decrypt(m.ctx, bson.Binary{Data: []byte("a")})
		return err
	}),
	misuseOfKeys("a master key that cannot be encoded", "master key,func()", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.CreateDataKey(m.ctx, "local", &options.DataKey{MasterKey: unencodable})
		return err
	}),
	misuseOfKeys("a new master key that cannot be encoded", "master key,func()", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.RewrapManyDataKey(m.ctx, bson.D{}, &options.RewrapManyDataKey{Provider: new("local"), MasterKey: unencodable})
		return err
	}),
	misuseOfKeys("a provider without settings", "creating a data key,aws", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.CreateDataKey(m.ctx, "aws", &options.DataKey{MasterKey: bson.Doc("region", "eu", "key", "a")})
		return err
	}),
	misuseOfKeys("a new provider without settings", "rewrapping data keys,aws", func(m misuseScene, e *mongo.ClientEncryption) error {
		if _, err := e.CreateDataKey(m.ctx, "local"); err != nil {
			m.t.Fatal(err)
		}
		_, err := e.RewrapManyDataKey(m.ctx, bson.D{}, &options.RewrapManyDataKey{Provider: new("aws"), MasterKey: bson.Doc("region", "eu", "key", "a")})
		return err
	}),
	misuseOfKeys("the same alternate name twice", "creating a data key", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.CreateDataKey(m.ctx, "local", &options.DataKey{KeyAltNames: []string{"a", "a"}})
		return err
	}),
	misuseOfKeys("key material of a wrong length", "key material", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, err := e.CreateDataKey(m.ctx, "local", &options.DataKey{KeyMaterial: make([]byte, 95)})
		return err
	}),
	misuseOfKeys("encrypted fields that cannot be encoded", "encrypted fields,func()", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, _, err := e.CreateEncryptedCollection(m.ctx, m.db, "other", "local", nil, &options.CreateCollection{EncryptedFields: unencodable})
		return err
	}),
	misuseOfKeys("no encrypted fields", "no EncryptedFields", func(m misuseScene, e *mongo.ClientEncryption) error {
		_, _, err := e.CreateEncryptedCollection(m.ctx, m.db, "other", "local", nil)
		return err
	}),
	{"NewClientEncryption: no namespace", func(m misuseScene) error {
		_, err := mongo.NewClientEncryption(m.client, &options.ClientEncryption{KMSProviders: localKMS()})
		return err
	}, "KeyVaultNamespace,encryption.keys"},
	{"NewClientEncryption: a namespace without a dot", func(m misuseScene) error {
		_, err := mongo.NewClientEncryption(m.client, &options.ClientEncryption{KeyVaultNamespace: "keys", KMSProviders: localKMS()})
		return err
	}, "keys,namespace"},
}

// oneText returns a cursor over one document with a text.
func oneText(m misuseScene) *mongo.Cursor {
	cursor, err := mongo.NewCursorFromDocuments([]any{bson.Doc("a", "text")}, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return cursor
}

// misuseOfKeys is a mistake in explicit encryption.
func misuseOfKeys(name, words string, call func(m misuseScene, e *mongo.ClientEncryption) error) misuse {
	return misuse{"ClientEncryption: " + name, func(m misuseScene) error {
		e, err := mongo.NewClientEncryption(m.client, &options.ClientEncryption{KeyVaultNamespace: "keys.vault", KMSProviders: localKMS()})
		if err != nil {
			m.t.Fatal(err)
		}
		defer e.Close(m.ctx)
		return call(m, e)
	}, words}
}
