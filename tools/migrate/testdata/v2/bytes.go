package shop

import (
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// What bson.Marshal returns stays bytes in an interface.

func bytesInCopies(v any, sent chan any) (any, error) {
	data, err := bson.Marshal(v)
	if err != nil {
		return nil, err
	}
	var held any = data
	again := data
	sent <- data
	fmt.Println(held, again, any(data), data[4:], append(data, 0), len(data))
	return data, nil
}

func bytesOfResults(v any, kept map[string]any) (any, error) {
	var err error
	if kept["data"], err = bson.Marshal(v); err != nil {
		return nil, err
	}
	fmt.Println(bson.Marshal(v))
	return bson.Marshal(v)
}

func bytesAsBefore(v any) ([]byte, error) {
	data, err := bson.Marshal(v)
	data = append(data, data...)
	if err != nil {
		return nil, err
	}
	return bson.Marshal(bson.Raw(data))
}

func cutNumbers(v bson.RawValue) int64 {
	if n, ok := v.AsInt64OK(); ok {
		return n
	}
	return v.AsInt64()
}

func labelled(err error) bool {
	var labels mongo.LabeledError
	return errors.As(err, &labels) && labels.HasErrorLabel("TransientTransactionError")
}

func readOptions(list ...options.Lister[options.FindOptions]) (*int64, error) {
	var all options.FindOptions
	for _, o := range list {
		for _, set := range o.List() {
			if err := set(&all); err != nil {
				return nil, err
			}
		}
	}
	for _, set := range options.Find().SetLimit(3).List() {
		_ = set(&all)
	}
	return all.Limit, nil
}

func elementsOfCore() []bsoncore.Element {
	start, data := bsoncore.AppendDocumentStart(nil)
	data, err := bsoncore.AppendDocumentEnd(data, start)
	if err != nil {
		panic(err)
	}
	v := bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: data}
	elements, err := v.Document().Elements()
	return elements
}
