package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// handles has a nil handle of every type with methods, and what the error about it must say.
var handles = []struct {
	handle any
	words  string
}{
	{(*mongo.Client)(nil), "client is nil"},
	{(*mongo.Client)(nil).Database("shop"), "client is nil"},
	{(*mongo.Client)(nil).Database("shop").Collection("a"), "client is nil"},
	{(*mongo.Database)(nil), "database is nil"},
	{(*mongo.Database)(nil).Collection("a"), "database is nil"},
	{(*mongo.Database)(nil).GridFSBucket(), "database is nil"},
	{(*mongo.Collection)(nil), "collection is nil"},
	{(*mongo.Collection)(nil).Indexes(), "collection is nil"},
	{(*mongo.Collection)(nil).SearchIndexes(), "collection is nil"},
	{mongo.Typed[bson.D](nil), "collection is nil"},
	{(*mongo.Cursor)(nil), "cursor is nil"},
	{(*mongo.ChangeStream)(nil), "change stream is nil"},
	{(*mongo.Session)(nil), "session is nil"},
	{(*mongo.SingleResult)(nil), "result is nil"},
	{(*mongo.DistinctResult)(nil), "result is nil"},
	{(*mongo.GridFSBucket)(nil), "bucket is nil"},
	{(*mongo.GridFSUploadStream)(nil), "stream is nil"},
	{(*mongo.GridFSDownloadStream)(nil), "stream is nil"},
	{(*mongo.ClientEncryption)(nil), "client encryption is nil"},
	{mongo.TopologyDescription{}, ""},
}

// formattingMethods are called by fmt, which prints <nil> for a nil pointer.
var formattingMethods = []string{"Format", "MarshalJSON"}

func TestNilHandlesAreRefused(t *testing.T) {
	var said wording
	for _, h := range handles {
		eachMethod(t, h.handle, t.Context(), func(t *testing.T, out []reflect.Value) {
			err, fallible := errorAmong(out)
			said.add(err)
			if fallible && (!errors.Is(err, mongo.ErrNilValue) || !strings.Contains(err.Error(), h.words)) {
				t.Errorf("error %v, want one that says that the %s", err, h.words)
			}
		})
	}
	said.compare(t, "nilhandles.txt")
}

// A program that declares a handle and forgets to fill it has a zero one.
func TestZeroHandlesDoNotPanic(t *testing.T) {
	for _, h := range handles {
		v := reflect.ValueOf(h.handle)
		if v.Kind() == reflect.Pointer {
			eachMethod(t, reflect.New(v.Type().Elem()).Interface(), t.Context(), func(t *testing.T, out []reflect.Value) { errorAmong(out) })
		}
	}
}

func TestNilContextsAreRefused(t *testing.T) {
	server, err := mongotest.New(mongotest.ReplicaSet(1))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := connect(t, server)
	db := client.Database("shop")
	users := db.Collection("users")
	if _, err := users.InsertMany(t.Context(), []any{bson.D{}, bson.D{}, bson.D{}}); err != nil {
		t.Fatal(err)
	}
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	cursor, err := users.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := users.Watch(t.Context(), mongo.Pipeline{})
	if err != nil {
		t.Fatal(err)
	}
	encryption, err := mongo.NewClientEncryption(client, &options.ClientEncryption{
		KeyVaultNamespace: "keys.vault", KMSProviders: map[string]map[string]any{"local": {"key": make([]byte, 96)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	// A file system keeps its nil context, so reading through it fails.
	var none context.Context
	if _, err := db.GridFSBucket().FS(none).Open("a"); !errors.Is(err, mongo.ErrNilValue) {
		t.Errorf("FS: error %v", err)
	}
	for _, handle := range []any{
		client, db, users, users.Indexes(), users.SearchIndexes(), mongo.Typed[bson.D](users), db.GridFSBucket(), session, encryption,
		stream, cursor,
	} {
		eachMethod(t, handle, nil, func(t *testing.T, out []reflect.Value) {
			name := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
			err, fallible := errorAmong(out)
			if name == "Next" || name == "TryNext" {
				err, fallible = handle.(interface{ Err() error }).Err(), true
			}
			if fallible && (!errors.Is(err, mongo.ErrNilValue) || !strings.Contains(err.Error(), "context is nil")) {
				t.Errorf("error %v, want one that says that the context is nil", err)
			}
		})
	}
	if cursor.ID() != 0 || stream.ID() != 0 || client.NumberSessionsInProgress() != 0 {
		t.Error("a cursor, a stream or a session stays open: Close and EndSession work without a context, too")
	}
}

// The functions of the package get the same error.
func TestFunctionsRefuseNilArguments(t *testing.T) {
	ctx, work := t.Context(), func(context.Context) (int, error) { return 0, nil }
	server, err := mongotest.New(mongotest.ReplicaSet(1))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := connect(t, server)
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	last := func(seq func(func(bson.D, error) bool)) (err error) {
		for _, e := range seq {
			err = e
		}
		return err
	}
	var none context.Context
	for name, f := range map[string]func() error{
		"Connect": func() error { _, err := mongo.Connect(none, server.URI()); return err },
		"All":     func() error { _, err := mongo.All[bson.D](ctx, nil); return err },
		"Each":    func() error { return last(mongo.Each[bson.D](ctx, nil)) },
		"Events":  func() error { return last(mongo.Events[bson.D](ctx, nil)) },
		"Distinct": func() error {
			_, err := mongo.Distinct[string](ctx, nil, "a", bson.D{})
			return err
		},
		"WithTransaction, session": func() error { _, err := mongo.WithTransaction(ctx, nil, work); return err },
		"WithTransaction, context": func() error { _, err := mongo.WithTransaction(none, session, work); return err },
		"WithTransaction, function": func() error {
			_, err := mongo.WithTransaction[int](ctx, session, nil)
			return err
		},
		"Session.WithTransaction": func() error { return session.WithTransaction(ctx, nil) },
		"UseSession":              func() error { return client.UseSession(ctx, nil) },
		"NewSessionContext": func() error {
			return client.Ping(mongo.NewSessionContext(none, session), nil)
		},
		"NewClientEncryption": func() error {
			_, err := mongo.NewClientEncryption(nil, &options.ClientEncryption{KeyVaultNamespace: "keys.vault"})
			return err
		},
		"Explain": func() error {
			return client.Database("shop").Collection("a").Explain(ctx, mongo.Explainable{}, "").Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := f(); !errors.Is(err, mongo.ErrNilValue) {
				t.Errorf("error %v, want one that says what is nil", err)
			}
		})
	}
}

// Every type with methods must be in the list of handles.
func TestEveryHandleIsTried(t *testing.T) {
	tried := map[string]bool{"AutoEncryption": true, "ReadPreferenceOption": true} // a setting; a function
	for _, h := range handles {
		typ := reflect.TypeOf(h.handle)
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		name, _, _ := strings.Cut(typ.Name(), "[")
		tried[name] = true
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() && !slices.Contains(formattingMethods, f.Name.Name) {
				if name := receiverName(f.Recv.List[0].Type); ast.IsExported(name) && !tried[name] {
					t.Errorf("no nil %s is tried", name)
					tried[name] = true
				}
			}
		}
	}
}

func receiverName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// eachMethod calls every method of a handle, and last those that end it. With a nil context it calls only methods that
// take one.
func eachMethod(t *testing.T, handle any, ctx context.Context, check func(*testing.T, []reflect.Value)) {
	v := reflect.ValueOf(handle)
	var names []string
	for i := range v.NumMethod() {
		names = append(names, v.Type().Method(i).Name)
	}
	ends := func(name string) int {
		return slices.Index([]string{"Abort", "Close", "EndSession"}, name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return ends(a) - ends(b) })
	for _, name := range names {
		m := v.MethodByName(name)
		takes := m.Type().NumIn() > 0 && m.Type().In(0) == reflect.TypeFor[context.Context]()
		if slices.Contains(formattingMethods, name) || ctx == nil && (!takes || name == "FS") {
			continue
		}
		t.Run(fmt.Sprintf("%T/%s", handle, name), func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("it panics: %v", p)
				}
			}()
			check(t, m.Call(makeArguments(m.Type(), ctx)))
		})
	}
}

// makeArguments makes arguments for a method, valid ones where that is easy.
func makeArguments(m reflect.Type, ctx context.Context) []reflect.Value {
	var args []reflect.Value
	for i := range m.NumIn() {
		in := m.In(i)
		v := reflect.Zero(in)
		switch {
		case m.IsVariadic() && i == m.NumIn()-1:
			continue
		case in == reflect.TypeFor[context.Context]() && ctx != nil:
			v = reflect.ValueOf(ctx)
		case in == reflect.TypeFor[any]():
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
	return args
}

// errorAmong returns the error among the results of a method, and whether the method can return one.
func errorAmong(out []reflect.Value) (err error, fallible bool) {
	for _, v := range slices.Backward(out) { // the error comes last
		if v.Type() == reflect.TypeFor[error]() {
			err, _ := v.Interface().(error)
			return err, true
		}
		if result, ok := v.Interface().(interface{ Err() error }); ok {
			return result.Err(), true
		}
		if documents := reflect.TypeFor[func(func(bson.D, error) bool)](); v.Type().ConvertibleTo(documents) {
			v.Convert(documents).Interface().(func(func(bson.D, error) bool))(func(_ bson.D, e error) bool { err = e; return true })
			return err, true
		}
	}
	return nil, false
}
