package exec_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

var update = flag.Bool("update", false, "rewrite the golden file from what the encoders print")

// encoders returns all operations, with the arguments that do not follow from their types. It makes new ones each time,
// because a test fills them.
func encoders() []exec.Command {
	return []exec.Command{
		&command.AbortTransaction{}, &command.Aggregate{}, &command.Aggregate{Writes: true}, &command.CountDocuments{}, &command.ChangeStream{}, &command.BuildInfo{},
		&command.BulkWrite{Models: clientModels()}, &command.ModifyCollection{}, &command.CommitTransaction{},
		&command.EstimatedDocumentCount{}, &command.Count{}, &command.CreateCollection{}, &command.CreateIndexes{},
		&command.CreateSearchIndexes{}, &command.DeleteOne{}, &command.DeleteMany{},
		&command.BulkDelete{Models: []options.WriteModel{&options.DeleteOneModel{}, &options.DeleteManyModel{}}},
		&command.Distinct{}, &command.DropCollection{}, &command.DropDatabase{}, &command.DropIndexes{}, &command.DropSearchIndex{},
		&command.EndSessions{}, &command.Explain{}, &command.Find{}, &command.FindOne{}, &command.FindOneAndDelete{},
		&command.FindOneAndReplace{}, &command.FindOneAndUpdate{}, &command.GetMore{}, &command.InsertOne{}, &command.InsertMany{},
		&command.BulkInsert{}, &command.KillCursors{}, &command.KillSessions{}, &command.ListCollections{}, &command.ListDatabases{},
		&command.ListIndexes{}, &command.Ping{}, &command.RenameCollection{}, &command.UpdateOne{}, &command.UpdateMany{},
		&command.ReplaceOne{},
		&command.BulkUpdate{Models: []options.WriteModel{&options.UpdateOneModel{}, &options.UpdateManyModel{}, &options.ReplaceOneModel{}}},
		&command.UpdateSearchIndex{},
	}
}

func clientModels() []options.NamespaceWriteModel {
	var out []options.NamespaceWriteModel
	for _, m := range []options.WriteModel{
		&options.InsertOneModel{}, &options.UpdateOneModel{}, &options.UpdateManyModel{}, &options.ReplaceOneModel{},
		&options.DeleteOneModel{}, &options.DeleteManyModel{},
	} {
		out = append(out, options.NamespaceWriteModel{Namespace: "shop.things", Model: m})
	}
	return out
}

// TestEncoders prints the command of every operation, without options and with each option, for every version of the
// server. It compares the result with a list that was checked against the specifications. The list groups an option by
// the versions that change its encoding.
func TestEncoders(t *testing.T) {
	var b strings.Builder
	for _, c := range encoders() {
		printEncoder(t, &b, c)
	}
	golden := filepath.Join("testdata", "encoders.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(b.String(), "\n"), strings.Split(string(data), "\n")
	for i := range max(len(got), len(want)) {
		if g, w := lineAt(got, i), lineAt(want, i); g != w {
			t.Fatalf("line %d of %s\n got %s\nwant %s", i+1, golden, g, w)
		}
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// TestEncodersAreComplete looks for operations that are missing from the list above.
func TestEncodersAreComplete(t *testing.T) {
	have := map[string]bool{}
	for _, c := range encoders() {
		have[reflect.TypeOf(c).Elem().Name()] = true
	}
	files, err := filepath.Glob("../../../generated/core/command/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	meta := regexp.MustCompile(`(?m)^func \(\*(\w+)\) Meta\(\) Meta`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range meta.FindAllStringSubmatch(string(text), -1) {
			if !have[m[1]] {
				t.Errorf("%s is not in the list", m[1])
			}
		}
	}
}

func printEncoder(t *testing.T, b *strings.Builder, c exec.Command) {
	v := reflect.ValueOf(c).Elem()
	fmt.Fprintf(b, "%s\n  %+v\n", v.Type().Name(), c.Meta())
	fmt.Fprintf(b, "  empty %s\n", encode(c, nil, &emitted.Env{WireVersion: wire.MaxSupportedWireVersion}))
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "Options" && name != "Models" && v.Field(i).Kind() != reflect.Bool {
			fill(t, v.Field(i), name)
		}
	}
	printVersions(b, "bare", func(env *emitted.Env) string { return encode(c, nil, env) })
	if o := v.FieldByName("Options"); o.IsValid() {
		fmt.Fprintf(b, "  options %s\n", o.Type().Elem())
		o.Set(reflect.New(o.Type().Elem()))
		printFields(t, b, "", o.Elem(), func(env *emitted.Env) string { return encode(c, nil, env) })
		o.SetZero()
	}
	if models := v.FieldByName("Models"); models.IsValid() {
		printModels(t, b, c, models)
	} else if batch, ok := c.(exec.Batch); ok {
		item := func(env *emitted.Env) string { return encode(c, batch, env) }
		printVersions(b, "item", item)
		if o := v.FieldByName("Options"); !o.IsZero() || o.IsValid() {
			o.Set(reflect.New(o.Type().Elem()))
			printFields(t, b, "item ", o.Elem(), item)
			o.SetZero()
		}
	}
	if specs := v.FieldByName("Indexes"); specs.IsValid() && specs.Type() == reflect.TypeFor[[]command.IndexSpec]() {
		o := specs.Index(0).FieldByName("Options")
		o.Set(reflect.New(o.Type().Elem()))
		printFields(t, b, "index ", o.Elem(), func(env *emitted.Env) string { return encode(c, nil, env) })
	}
}

// printModels prints the statements of a bulk write, with one field of a model at a time.
func printModels(t *testing.T, b *strings.Builder, c exec.Command, models reflect.Value) {
	for i := range models.Len() {
		m := models.Index(i)
		if m.Kind() == reflect.Struct {
			m = m.FieldByName("Model")
		}
		model := m.Elem().Elem()
		item := func(env *emitted.Env) string { return encodeItem(c, i, env) }
		for _, name := range []string{"Filter", "Document", "Replacement", "Update"} {
			if f := model.FieldByName(name); f.IsValid() {
				fill(t, f, name)
			}
		}
		printVersions(b, model.Type().Name(), item)
		printFields(t, b, model.Type().Name()+".", model, item)
	}
}

// printFields prints the changes that each field makes.
func printFields(t *testing.T, b *strings.Builder, prefix string, v reflect.Value, encode func(*emitted.Env) string) {
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.IsZero() {
			continue // an argument of a model
		}
		name := prefix + v.Type().Field(i).Name + " " + f.Type().String()
		fill(t, f, v.Type().Field(i).Name)
		printVersions(b, name, encode)
		if f.Kind() == reflect.Pointer && f.Elem().Kind() == reflect.Uint8 {
			f.Elem().SetUint(1)
			printVersions(b, name+" 1", encode)
			f.Elem().SetUint(3)
			printVersions(b, name+" 3", encode)
		}
		f.SetZero()
	}
}

// printVersions prints an encoding, and prints it again for each newer server that gets a different one. Then it prints
// the differences without acknowledgement and with a timeout.
func printVersions(b *strings.Builder, name string, encode func(*emitted.Env) string) {
	for _, mode := range []emitted.Env{{}, {Unacknowledged: true}, {Timeout: true}} {
		last := ""
		for version := int32(wire.MinSupportedWireVersion); version <= wire.MaxSupportedWireVersion; version++ {
			env := emitted.Env{WireVersion: version}
			plain := encode(&env)
			env.Unacknowledged, env.Timeout = mode.Unacknowledged, mode.Timeout
			text := encode(&env)
			if special := mode.Unacknowledged || mode.Timeout; text == last || special && text == plain {
				continue
			}
			last = text
			note := ""
			if mode.Unacknowledged {
				note = " unacknowledged"
			} else if mode.Timeout {
				note = " with a timeout"
			}
			fmt.Fprintf(b, "  %s%s %d: %s\n", name, note, version, text)
		}
	}
}

func encode(c exec.Command, item exec.Batch, env *emitted.Env) string {
	if item != nil {
		if item.Items() == 0 {
			return "no item"
		}
		doc, err := item.AppendItem(nil, 0, env)
		return formatResult(doc, err)
	}
	doc, err := c.Append(nil, env)
	if err == nil {
		doc = bson.AppendDocumentEnd(doc, 0)
	}
	return formatResult(doc, err)
}

func encodeItem(c exec.Command, i int, env *emitted.Env) string {
	switch c := c.(type) {
	case *command.BulkWrite:
		doc, err := c.AppendOp(nil, i, 3, env)
		return fmt.Sprintf("%s retryable=%t namespace=%s", formatResult(doc, err), c.Retryable(i), bson.Raw(c.AppendNamespace(nil, i)))
	case exec.Batch:
		doc, err := c.AppendItem(nil, i, env)
		if r, ok := c.(interface{ Retryable(int) bool }); ok {
			return fmt.Sprintf("%s retryable=%t", formatResult(doc, err), r.Retryable(i))
		}
		return formatResult(doc, err)
	}
	return "no batch"
}

func formatResult(doc []byte, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return bson.Raw(doc).String()
}

// fill sets a field to a value that identifies the field.
func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	n := int64(len(name)) // a number that few fields share
	document, err := bson.Marshal(bson.D{{Key: strings.ToLower(name), Value: int32(n)}})
	if err != nil {
		t.Fatal(err)
	}
	switch v.Type() {
	case reflect.TypeFor[bson.Raw]():
		v.Set(reflect.ValueOf(document))
		return
	case reflect.TypeFor[bson.RawArray]():
		array := bson.AppendArrayIndexHeader(nil, bsontype.EmbeddedDocument, 0)
		out, start := bson.AppendDocumentStart(nil)
		v.Set(reflect.ValueOf(bson.RawArray(bson.AppendDocumentEnd(append(append(out, array...), document...), start))))
		return
	case reflect.TypeFor[bson.RawValue]():
		v.Set(reflect.ValueOf(bson.RawValue{Type: bsontype.EmbeddedDocument, Value: document}))
		return
	case reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Duration(n) * time.Second))
		return
	case reflect.TypeFor[bson.Timestamp]():
		v.Set(reflect.ValueOf(bson.Timestamp{T: 1, I: uint32(n)}))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if name == "Indexes" {
			spec := v.Index(0)
			fill(t, spec.FieldByName("Keys"), "Keys")
			fill(t, spec.FieldByName("Name"), "Name")
			return
		}
		fill(t, v.Index(0), name)
	case reflect.Interface:
		v.Set(reflect.ValueOf(bson.D{{Key: strings.ToLower(name), Value: int32(n)}}))
	case reflect.String:
		v.SetString(strings.ToLower(name))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(n) / 2)
	case reflect.Uint8:
		v.SetUint(2)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(n)
	default:
		t.Fatalf("%s: no value for %s", name, v.Type())
	}
}
