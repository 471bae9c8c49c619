package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestNilHandlesAndContexts calls every method that takes a context on nil handles, and with a nil context. Each must return an
// error that says so.
func TestNilHandlesAndContexts(t *testing.T) {
	server, err := mongotest.New()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := connect(t, server)
	db := client.Database("shop")
	var noClient *mongo.Client
	var noDatabase *mongo.Database
	var noCollection *mongo.Collection
	bucket := db.GridFSBucket()
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	for _, c := range []struct {
		name   string
		handle any
		ctx    context.Context
		words  string
	}{
		{"nil client", noClient, t.Context(), "client is nil"},
		{"zero client", new(mongo.Client), t.Context(), "client is nil"},
		{"database of a nil client", noClient.Database("shop"), t.Context(), "client is nil"},
		{"collection of a nil client", noClient.Database("shop").Collection("a"), t.Context(), "client is nil"},
		{"nil database", noDatabase, t.Context(), "database is nil"},
		{"collection of a nil database", noDatabase.Collection("a"), t.Context(), "database is nil"},
		{"nil collection", noCollection, t.Context(), "collection is nil"},
		{"indexes of a nil collection", noCollection.Indexes(), t.Context(), "collection is nil"},
		{"search indexes of a nil collection", noCollection.SearchIndexes(), t.Context(), "collection is nil"},
		{"nil bucket", (*mongo.GridFSBucket)(nil), t.Context(), "bucket is nil"},
		{"bucket of a nil database", noDatabase.GridFSBucket(), t.Context(), "database is nil"},
		{"client", client, nil, "context is nil"},
		{"database", db, nil, "context is nil"},
		{"collection", db.Collection("a"), nil, "context is nil"},
		{"indexes", db.Collection("a").Indexes(), nil, "context is nil"},
		{"search indexes", db.Collection("a").SearchIndexes(), nil, "context is nil"},
		{"GridFS", bucket, nil, "context is nil"},
		{"session", session, nil, ""},
	} {
		v := reflect.ValueOf(c.handle)
		for i := range v.NumMethod() {
			name := v.Type().Method(i).Name
			m := v.Method(i)
			if m.Type().NumIn() == 0 || m.Type().In(0) != reflect.TypeFor[context.Context]() || name == "FS" || name == "EndSession" {
				continue
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				err := errorOf(t, m, c.ctx)
				if err == nil || !strings.Contains(err.Error(), c.words) || c.words != "" && !errors.Is(err, mongo.ErrNilValue) {
					t.Errorf("error %v, want one that says that the %s", err, c.words)
				}
			})
		}
	}
}

// errorOf calls a method with a context and arguments that are valid where that is easy.
func errorOf(t *testing.T, m reflect.Value, ctx context.Context) (err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics: %v", p)
		}
	}()
	var args []reflect.Value
	for i := range m.Type().NumIn() {
		in := m.Type().In(i)
		v := reflect.Zero(in)
		switch {
		case m.Type().IsVariadic() && i == m.Type().NumIn()-1:
			continue
		case i == 0 && ctx != nil:
			v = reflect.ValueOf(ctx)
		case i > 0 && in == reflect.TypeFor[any]():
			v = reflect.ValueOf(bson.D{{Key: "a", Value: 1}})
		case in.Kind() == reflect.String:
			v = reflect.ValueOf("a").Convert(in)
		case in.Kind() == reflect.Func:
			v = reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
			})
		}
		args = append(args, v)
	}
	for _, out := range slices.Backward(m.Call(args)) { // the error comes last
		switch v := out.Interface().(type) {
		case error:
			return v
		case interface{ Err() error }:
			return v.Err()
		}
	}
	return nil
}
