package queryanalysis

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// Class says what is to be done with a command.
type Class uint8

// The classes of commands. Others are errors of Inspect.
const (
	Analyzed Class = iota + 1 // Analyze decides
	Bypassed                  // it is sent as it is
)

// Target is what a command is about.
type Target struct {
	Class    Class
	Name     string // of the command
	Database string
	// Collection is what the command names; for bulkWrite its namespace, for explain the inner command's collection. It
	// is empty if Class is Bypassed.
	Collection string
	// Collections are all whose schema Analyze needs: Collection first, then those that a pipeline joins or writes to.
	Collections []string
	// EncryptedFields and JSONSchema are the schemas in create and collMod. Analyze takes them for the schema of Collection if schemas has
	// none.
	EncryptedFields bson.Raw
	JSONSchema      bson.Raw
	// Information says where the command carries encryptionInformation on its way to the server.
	Information analysis.Information
}

// Inspect reads what a command on a database is about, without looking at values. An error is one to return instead of sending
// the command.
func Inspect(db string, cmd bson.Raw) (Target, error) {
	first, ok := cmd.Index(0)
	if !ok {
		return Target{}, refusal.New("", "", "the command is empty")
	}
	t := Target{Name: first.Key, Database: db}
	class, information := analysis.OfCommand(t.Name)
	t.Information = information
	switch class {
	case analysis.ClassBypass:
		t.Class = Bypassed
		return t, nil
	case analysis.ClassAnalyze:
		t.Class = Analyzed
	default:
		return Target{}, refusal.Text("", "", analysis.CommandNotSupported(t.Name))
	}
	if err := cmd.Validate(); err != nil {
		return Target{}, err
	}
	if err := refusal.CheckUniqueKeys(t.Name, cmd); err != nil {
		return Target{}, err
	}
	if analysis.OfArgument(t.Name, t.Name) == analysis.ArgumentCommand {
		return t.readExplained(first.Value)
	}
	t.Collection, ok = first.Value.StringOK()
	if t.Information == analysis.InformationNamespace {
		t.Collection, ok = "", true // it has namespaces
	} else if !ok || t.Collection == "" {
		return Target{}, refusal.Text("", "", analysis.NonCollectionCommand(t.Name))
	} else {
		t.add(t.Collection)
	}
	return t, t.readArguments(cmd)
}

func (t *Target) add(collection string) {
	if !slices.Contains(t.Collections, collection) {
		t.Collections = append(t.Collections, collection)
	}
}

// readExplained reads the command inside explain.
func (t Target) readExplained(v bson.RawValue) (Target, error) {
	inner, ok := v.DocumentOK()
	if !ok {
		return t, refusal.New(t.Name, "", "the command must contain another command")
	}
	if first, ok := inner.Index(0); ok && first.Key == t.Name {
		return t, refusal.Text(t.Name, "", analysis.CommandNotSupported(t.Name))
	}
	in, err := Inspect(t.Database, inner)
	if err != nil {
		return t, err
	}
	if in.Class != Analyzed {
		return t, refusal.Text(t.Name, "", analysis.CommandNotSupported(in.Name))
	}
	in.Name, in.Information = t.Name, t.Information
	return in, nil
}

// readNamespace reads the one namespace of bulkWrite.
func (t *Target) readNamespace(v bson.RawValue) error {
	list, ok := v.ArrayOK()
	if !ok || list.Len() == 0 {
		return refusal.New(t.Name, "", "the command needs namespaces")
	}
	if list.Len() > 1 {
		return refusal.New(t.Name, "", "expected one namespace in `bulkWrite`, but found more than one. "+
			"Only one namespace is supported.")
	}
	one, _ := list.Index(0)
	doc, _ := one.DocumentOK()
	if err := refusal.CheckUniqueKeys(t.Name, doc); err != nil {
		return err
	}
	ns, _ := doc.Lookup("ns").StringOK()
	db, collection, ok := strings.Cut(ns, ".")
	if !ok || db == "" || collection == "" {
		return refusal.New(t.Name, "", "the namespace needs a database and a collection")
	}
	t.Database, t.Collection = db, collection
	t.add(collection)
	return nil
}

// readArguments reads which other collections a command uses, and the schema that it carries.
func (t *Target) readArguments(cmd bson.Raw) error {
	for key, v := range cmd.All() {
		switch analysis.OfArgument(t.Name, key) {
		case analysis.ArgumentNamespaces:
			if err := t.readNamespace(v); err != nil {
				return err
			}
		case analysis.ArgumentPipeline:
			if err := t.addPipeline(v, 0); err != nil {
				return err
			}
		case analysis.ArgumentView:
			if on, ok := cmd.Lookup("viewOn").StringOK(); ok {
				t.add(on)
			}
			if err := t.addPipeline(v, 0); err != nil {
				return err
			}
		case analysis.ArgumentSchema:
			t.EncryptedFields, _ = v.DocumentOK()
		case analysis.ArgumentValidator:
			doc, _ := v.DocumentOK()
			t.JSONSchema, _ = doc.Lookup(analysis.OpJSONSchema).DocumentOK()
		}
	}
	if t.Collection == "" {
		return refusal.New(t.Name, "", "the command needs namespaces")
	}
	return nil
}

// maxDepth bounds the nesting of pipelines. MongoDB nests documents no deeper than 180 levels.
const maxDepth = 200

// addPipeline adds the collections that stages join or write to. It looks for them everywhere: stages that are not known may hold
// pipelines, too.
func (t *Target) addPipeline(v bson.RawValue, depth int) error {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return nil
	}
	if depth > maxDepth {
		return refusal.New(t.Name, "", "the pipeline is nested too deeply")
	}
	for key, v := range bson.Raw(v.Value).All() {
		from, err := t.joinedCollection(key, v)
		if err != nil {
			return err
		}
		if name, ok := from.StringOK(); ok {
			t.add(name)
		} else if !from.IsZero() {
			return refusal.New(key, "", "the stage needs the name of a collection in its own database")
		}
		if err := t.addPipeline(v, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// joinedCollection returns the value that names the collection that a stage joins or writes to, if there is one.
func (t *Target) joinedCollection(stage string, v bson.RawValue) (from bson.RawValue, err error) {
	doc, isDoc := v.DocumentOK()
	switch stage {
	case analysis.OpLookup, analysis.OpGraphLookup:
		from = doc.Lookup("from")
	case analysis.OpUnionWith, "$out":
		if from = v; isDoc && isLocal(doc, t.Database) {
			from = doc.Lookup("coll")
		}
	case "$merge":
		into, isDoc := doc.Lookup("into").DocumentOK()
		if err := refusal.CheckUniqueKeys(stage, into); err != nil {
			return from, err
		}
		if from = v; isDoc && isLocal(into, t.Database) {
			from = into.Lookup("coll")
		} else if doc != nil {
			from = doc.Lookup("into")
		}
	default:
		return from, nil
	}
	return from, refusal.CheckUniqueKeys(stage, doc)
}

// isLocal reports whether a document with a collection names no other database.
func isLocal(doc bson.Raw, database string) bool {
	v := doc.Lookup("db")
	name, _ := v.StringOK()
	return v.IsZero() || name == database
}
