package main

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	official "go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// bsonTasks encode and decode without a connection.
func bsonTasks(docs []document) []task {
	tasks := slices.Concat(structTasks(), listTasks(docs), decimalTasks())
	for i := range tasks {
		tasks[i].family, tasks[i].computes = "bson", true
	}
	return tasks
}

func listTasks(docs []document) (tasks []task) {
	for _, doc := range docs {
		tasks = append(tasks, decodeTask(doc), decodeMapTask(doc), encodeTask(doc), encodeMapTask(doc), walkTask(doc), validateTask(doc))
	}
	for _, doc := range docs {
		tasks = append(tasks, extJSONTasks(doc)...)
	}
	return tasks
}

func structTasks() []task {
	order := newOrder()
	raw, err := bson.Marshal(&order)
	if err != nil {
		panic(err)
	}
	var plain plainOrder
	var theirs officialOrder
	if err := bson.Unmarshal(raw, &plain); err != nil {
		panic(err)
	}
	if err := official.Unmarshal(raw, &theirs); err != nil {
		panic(err)
	}
	buf := make([]byte, 0, 4096)
	officialMarshal := repeat("official", func() error {
		_, err := official.Marshal(&theirs)
		return err
	})
	officialUnmarshal := repeat("official", func() error {
		var v officialOrder
		return official.Unmarshal(raw, &v)
	})
	return []task{
		{name: "struct marshal, plan", goal: 9, sides: []side{officialMarshal, repeat("onion", func() error {
			_, err := bson.Marshal(&plain)
			return err
		})}},
		{name: "struct marshal append, bsongen", goal: 22, sides: []side{officialMarshal, repeat("onion", func() error {
			var err error
			buf, err = order.AppendBSON(buf[:0])
			return err
		})}},
		{name: "struct unmarshal, plan", goal: 7, sides: []side{officialUnmarshal, repeat("onion", func() error {
			var v plainOrder
			return bson.Unmarshal(raw, &v)
		})}},
		{name: "struct unmarshal, bsongen", goal: 9, sides: []side{officialUnmarshal, repeat("onion", func() error {
			var v Order
			return v.DecodeBSON(raw)
		})}},
	}
}

func decodeTask(doc document) task {
	return task{name: doc.name + " to D", goal: 7, sides: []side{
		repeat("official", func() error {
			var d official.D
			return official.Unmarshal(doc.raw, &d)
		}),
		repeat("onion", func() error {
			var d bson.D
			return bson.Unmarshal(doc.raw, &d)
		}),
	}}
}

func decodeMapTask(doc document) task {
	return task{name: doc.name + " to M", goal: 7, sides: []side{
		repeat("official", func() error {
			var m official.M
			return official.Unmarshal(doc.raw, &m)
		}),
		repeat("onion", func() error {
			var m bson.M
			return bson.Unmarshal(doc.raw, &m)
		}),
	}}
}

func encodeTask(doc document) task {
	var ours bson.D
	var theirs official.D
	if err := bson.Unmarshal(doc.raw, &ours); err != nil {
		panic(err)
	}
	if err := official.Unmarshal(doc.raw, &theirs); err != nil {
		panic(err)
	}
	var ourValue, theirValue any = ours, theirs // making an any of a slice allocates, and is not part of the task
	buf := make([]byte, 0, 2*len(doc.raw))
	return task{name: doc.name + " from D, append", goal: 5, sides: []side{
		repeat("official", func() error {
			_, err := official.Marshal(theirValue)
			return err
		}),
		repeat("onion", func() error {
			var err error
			buf, err = bson.MarshalAppend(buf[:0], ourValue)
			return err
		}),
	}}
}

func encodeMapTask(doc document) task {
	var ours bson.M
	var theirs official.M
	if err := bson.Unmarshal(doc.raw, &ours); err != nil {
		panic(err)
	}
	if err := official.Unmarshal(doc.raw, &theirs); err != nil {
		panic(err)
	}
	buf := make([]byte, 0, 2*len(doc.raw))
	return task{name: doc.name + " from M, append", goal: 5, sides: []side{
		repeat("official", func() error {
			_, err := official.Marshal(theirs)
			return err
		}),
		repeat("onion", func() error {
			var err error
			buf, err = bson.MarshalAppend(buf[:0], ours)
			return err
		}),
	}}
}

// validateTask has a goal for the full document alone: the official driver checks no more than the length of an embedded
// document, and does nothing of what the deep one takes.
func validateTask(doc document) task {
	goal := 0.0
	if doc.name == "full" {
		goal = 1.5
	}
	return task{name: doc.name + " validate", goal: goal, sides: []side{
		repeat("official", func() error { return official.Raw(doc.raw).Validate() }),
		repeat("onion", doc.raw.Validate),
	}}
}

func walkTask(doc document) task {
	return task{name: doc.name + " walk", goal: 9, sides: []side{
		repeat("official", func() error { return walkOfficial(bsoncore.Document(doc.raw)) }),
		repeat("onion", func() error {
			Sink += walkOnion(doc.raw)
			return nil
		}),
	}}
}

// Sink keeps the compiler from removing the walks.
var Sink int

func walkOfficial(doc bsoncore.Document) error {
	list, err := doc.Elements()
	if err != nil {
		return err
	}
	for _, e := range list {
		Sink += len(e.Key())
		v := e.Value()
		switch v.Type {
		case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
			if err := walkOfficial(v.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

func walkOnion(doc bson.Raw) (n int) {
	for key, v := range doc.All() {
		n += len(key)
		if v.Type == 0x03 || v.Type == 0x04 {
			n += walkOnion(v.Value)
		}
	}
	return n
}

func extJSONTasks(doc document) []task {
	text, err := bson.AppendExtJSON(nil, doc.raw, true)
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 0, 2*len(text))
	var theirs official.D
	if err := official.Unmarshal(doc.raw, &theirs); err != nil {
		panic(err)
	}
	var ours bson.D
	if err := bson.Unmarshal(doc.raw, &ours); err != nil {
		panic(err)
	}
	officialEncode := repeat("official", func() error {
		_, err := official.MarshalExtJSON(theirs, true, false)
		return err
	})
	return []task{
		{name: doc.name + " to extended JSON, from D", goal: 8, sides: []side{officialEncode, repeat("onion", func() error {
			_, err := bson.MarshalExtJSON(ours, true)
			return err
		})}},
		{name: doc.name + " to extended JSON, from Raw", goal: 8, sides: []side{
			repeat("official", func() error {
				_, err := official.MarshalExtJSON(official.Raw(doc.raw), true, false)
				return err
			}),
			repeat("onion", func() error {
				var err error
				buf, err = bson.AppendExtJSON(buf[:0], doc.raw, true)
				return err
			}),
		}},
		{name: doc.name + " from extended JSON, to D", goal: 12, sides: []side{
			repeat("official", func() error {
				var d official.D
				return official.UnmarshalExtJSON(text, true, &d)
			}),
			repeat("onion", func() error {
				var d bson.D
				return bson.UnmarshalExtJSON(text, true, &d)
			}),
		}},
	}
}

func decimalTasks() []task {
	var tasks []task
	for _, t := range []struct{ name, text string }{
		{"short", "1.5"}, {"middle", "12345678.90123456789"}, {"longest", "-9.999999999999999999999999999999999E-6143"},
	} {
		tasks = append(tasks, task{name: "Decimal128 parse, " + t.name, goal: 20, sides: []side{
			repeat("official", func() error {
				_, err := official.ParseDecimal128(t.text)
				return err
			}),
			repeat("onion", func() error {
				_, err := bson.ParseDecimal128(t.text)
				return err
			}),
		}})
	}
	return append(tasks, objectIDTasks()...)
}

func objectIDTasks() []task {
	id, theirs, buf := bson.NewObjectID(), official.NewObjectID(), make([]byte, 0, 24)
	digits := id.Hex()
	return []task{
		{name: "ObjectID, new", goal: 1, sides: []side{
			repeat("official", func() error {
				theirs = official.NewObjectID()
				return nil
			}),
			repeat("onion", func() error {
				id = bson.NewObjectID()
				return nil
			}),
		}},
		{name: "ObjectID to hexadecimal digits", goal: 1, sides: []side{
			repeat("official", func() error {
				Sink += len(theirs.Hex())
				return nil
			}),
			repeat("onion", func() error {
				buf = id.AppendHex(buf[:0])
				return nil
			}),
		}},
		{name: "ObjectID from hexadecimal digits", goal: 2, sides: []side{
			repeat("official", func() error {
				_, err := official.ObjectIDFromHex(digits)
				return err
			}),
			repeat("onion", func() error {
				_, err := bson.ObjectIDFromHex(digits)
				return err
			}),
		}},
	}
}
