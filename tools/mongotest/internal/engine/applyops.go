// The command applyOps: repeats the entries of an oplog, as mongorestore does with the oplog of a dump. Inserts replace a
// document that is already there.
//
// Left out: entries apply one after another, never all or none, so preCondition is refused.

package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/diff"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var applyOpsFields = []field{
	{"allowAtomic", 0, boolean}, {"alwaysUpsert", 0, boolean}, {"bypassDocumentValidation", 0, boolean}, {"comment", 0, anything},
	{"oplogApplicationMode", 0, text},
}

// applier is one applyOps that runs.
type applier struct {
	e        *Engine
	ctx      context.Context
	r        *Request
	commands map[string]Handler
	bypass   bool // validators do not count
}

func applyOps(commands map[string]Handler) Handler {
	return func(e *Engine, ctx context.Context, r *Request, dst []byte) ([]byte, error) {
		given, err := r.parse(applyOpsFields)
		if err != nil {
			return nil, err
		}
		first, _ := r.Body.Index(0)
		if first.Value.Type != bsontype.Array {
			return nil, status.Errorf(errcode.TypeMismatch, "ops has to be an array")
		}
		a := &applier{e: e, ctx: ctx, r: r, commands: commands, bypass: given.bool("bypassDocumentValidation")}
		ops := value.Elements(first.Value)
		results := make([]bson.RawValue, len(ops))
		for i, op := range ops {
			if err := endedError(ctx); err != nil {
				return nil, err
			}
			d, ok := op.DocumentOK()
			if !ok {
				return nil, status.Errorf(errcode.FailedToParse, "op not an object: %s", status.TextOf(op))
			}
			if err := a.apply(d); err != nil {
				return nil, err
			}
			results[i] = value.Bool(true)
		}
		dst = bson.AppendInt32Element(dst, "applied", int32(len(ops)))
		return bson.AppendRawValueElement(dst, "results", value.ArrayOf(results...)), nil
	}
}

// apply repeats one entry.
func (a *applier) apply(op bson.Raw) error {
	namespace, _ := op.Lookup("ns").StringOK()
	db, name, _ := strings.Cut(namespace, ".")
	o, ok := op.Lookup("o").DocumentOK()
	kind, _ := op.Lookup("op").StringOK()
	_, ui, byUUID := op.Lookup("ui").BinaryOK()
	if byUUID && kind != "c" {
		name = cmp.Or(a.collectionOf(db, ui), name) // without the UUID, the name must do: the oplog may come from another deployment
	}
	switch {
	case kind == "n":
		return nil
	case !ok:
		return status.Errorf(errcode.NoSuchKey, "Missing expected field \"o\"")
	case db == "":
		return status.Errorf(errcode.InvalidNamespace, "invalid ns in op %s", status.Text(op))
	case kind == "c":
		if first, _ := o.Index(0); first.Key == "create" && byUUID {
			return a.create(db, o, ui)
		}
		return a.runCommand(db, o)
	case name == "system.views":
		return a.changeView(db, kind, o)
	case kind != "i" && kind != "u" && kind != "d":
		return status.Errorf(errcode.BadValue, "Unrecognized op type '%s'", kind)
	case a.e.snapshot(a.r).Collection(db, name) == nil:
		return status.Errorf(errcode.NamespaceNotFound, "Failed to apply operation due to missing collection %s: %s",
			namespace, status.Text(op))
	case kind == "i":
		return a.replace(db, name, o, o)
	case kind == "d":
		return a.run("delete", db, reply.New().String("delete", name).
			Value("deletes", bson.A{bson.Doc("q", bson.Doc("_id", id(o)), "limit", 1)}).Done())
	}
	key, ok := op.Lookup("o2").DocumentOK()
	if !ok {
		return status.Errorf(errcode.NoSuchKey, "Missing expected field \"o2\"")
	}
	return a.update(db, name, key, o)
}

// collectionOf returns the name of the collection with a UUID, or "".
func (a *applier) collectionOf(db string, ui []byte) string {
	for _, c := range a.e.snapshot(a.r).Collections(db) {
		if string(c.UUID[:]) == string(ui) {
			return c.Name
		}
	}
	return ""
}

// create repeats the creation of a collection with its UUID. A collection that already has the name gets another one, and a
// collection that already has the UUID is renamed.
func (a *applier) create(db string, o bson.Raw, ui []byte) error {
	name := value.Text(o.Lookup("create"))
	has := a.collectionOf(db, ui)
	rename := func(from, to string) error {
		return a.run("renameCollection", "admin",
			reply.New().String("renameCollection", db+"."+from).String("to", db+"."+to).Done())
	}
	if has == name {
		return nil
	}
	if a.e.snapshot(a.r).Collection(db, name) != nil {
		if err := rename(name, "tmp"+bson.NewObjectID().Hex()+".create"); err != nil {
			return err
		}
	}
	if has != "" {
		return rename(has, name)
	}
	copy(a.r.newUUID[:], ui)
	defer func() { a.r.newUUID = bson.UUID{} }()
	return a.runCommand(db, o)
}

// update repeats an update: a difference, update operators, or a whole document.
func (a *applier) update(db, name string, key, o bson.Raw) error {
	if d, ok := o.Lookup("diff").DocumentOK(); ok && id(o).IsZero() {
		old := a.e.snapshot(a.r).Collection(db, name).FindID(id(key))
		if old == nil {
			return nil // the document was deleted later, and the delete has been applied
		}
		after, ok := diff.Apply(old.Doc, d)
		if !ok {
			return status.Errorf(errcode.BadValue, "the difference %s does not fit the document %s", status.Text(d), status.Text(old.Doc))
		}
		o = after
	}
	return a.replace(db, name, key, dropField(o, "$v"))
}

// replace writes a document, or applies update operators to it.
func (a *applier) replace(db, name string, key, o bson.Raw) error {
	first, _ := o.Index(0)
	update := bson.Doc("q", bson.Doc("_id", id(key)), "u", o, "upsert", !strings.HasPrefix(first.Key, "$"))
	body := reply.New().String("update", name).Value("updates", bson.A{update}).Bool("bypassDocumentValidation", a.bypass)
	if a.r.WireVersion >= wire.Server80 {
		body.Bool("bypassEmptyTsReplacement", true) // the entry has the time that was stored
	}
	return a.run("update", db, body.Done())
}

// changeView repeats a change of a view.
func (a *applier) changeView(db, kind string, o bson.Raw) error {
	namespace := value.Text(id(o))
	_, name, _ := strings.Cut(namespace, ".")
	if kind == "d" {
		return a.run("drop", db, reply.New().String("drop", name).Done())
	}
	command := "create"
	if kind == "u" {
		command = "collMod"
	}
	body := reply.New().String(command, name)
	for field, v := range dropField(o, "_id").All() {
		body.Value(field, v)
	}
	return a.run(command, db, body.Done())
}

// runCommand repeats a command. The oplog names one index per createIndexes, and collections by their full names.
func (a *applier) runCommand(db string, o bson.Raw) error {
	first, _ := o.Index(0)
	name := value.Text(first.Value)
	switch first.Key {
	case "applyOps":
		for _, op := range value.Elements(first.Value) {
			if err := a.apply(bson.Raw(op.Value)); err != nil {
				return err
			}
		}
		return nil
	case "commitTransaction", "abortTransaction", "startIndexBuild", "abortIndexBuild":
		return nil
	case "createIndexes":
		o = reply.New().String("createIndexes", name).Value("indexes", bson.A{dropField(o, "createIndexes")}).Done()
	case "commitIndexBuild":
		o = reply.New().String("createIndexes", name).Value("indexes", o.Lookup("indexes")).Done()
		first.Key = "createIndexes"
	case "create":
		o = dropField(o, "idIndex")
	case "renameCollection":
		db = "admin"
		o = reply.New().String("renameCollection", name).Value("to", o.Lookup("to")).
			Bool("dropTarget", value.IsTruthy(o.Lookup("dropTarget"))).Done()
	case "dropIndexes", "deleteIndexes", "drop", "dropDatabase", "collMod":
	default:
		return status.Errorf(errcode.BadValue, "Unknown operation type: %s", first.Key)
	}
	return a.run(first.Key, db, o)
}

// run runs a command of the engine. A write that fails is an error.
func (a *applier) run(name, db string, body bson.Raw) error {
	q := *a.r
	q.Name, q.DB, q.Body, q.Sequences = name, db, body, nil
	dst, start := bson.AppendDocumentStart(nil)
	dst, err := a.commands[name](a.e, a.ctx, &q, dst)
	a.r.Applied = max(a.r.Applied, q.Applied)
	if err != nil {
		return err
	}
	failed, ok := bson.Raw(bson.AppendDocumentEnd(dst, start)).Lookup("writeErrors", "0").DocumentOK()
	if !ok {
		return nil
	}
	code, _ := failed.Lookup("code").AsInt64OK()
	return status.Errorf(errcode.Code(code), "%s", value.Text(failed.Lookup("errmsg")))
}
