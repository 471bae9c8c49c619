package queryanalysis

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// commands lists the commands that an operation of a suite sends.
func (o operation) commands(t *testing.T) []bson.Raw {
	t.Helper()
	a := o.arguments
	get := func(name string) any {
		if v := a.Lookup(name); !v.IsZero() {
			return v
		}
		return bson.D{}
	}
	var cmd bson.D
	switch o.name {
	case "insertOne":
		cmd = bson.Doc("insert", o.collection, "documents", bson.A{get("document")})
	case "insertMany":
		cmd = bson.Doc("insert", o.collection, "documents", get("documents"))
	case "find", "findOne":
		cmd = bson.Doc("find", o.collection, "filter", get("filter"))
		if v := a.Lookup("sort"); !v.IsZero() {
			cmd = append(cmd, bson.E{Key: "sort", Value: v})
		}
	case "updateOne", "updateMany", "replaceOne", "deleteOne", "deleteMany":
		return o.statementCommands(t, o.name, a)
	case "findOneAndUpdate", "findOneAndReplace":
		u := a.Lookup("update")
		if u.IsZero() {
			u = a.Lookup("replacement")
		}
		cmd = bson.Doc("findAndModify", o.collection, "query", get("filter"), "update", u)
	case "findOneAndDelete":
		cmd = bson.Doc("findAndModify", o.collection, "query", get("filter"), "remove", true)
	case "count":
		cmd = bson.Doc("count", o.collection, "query", get("filter"))
	case "countDocuments":
		cmd = bson.Doc("aggregate", o.collection, "pipeline", bson.A{bson.Doc("$match", get("filter")),
			bson.Doc("$group", bson.Doc("_id", int32(1), "n", bson.Doc("$sum", int32(1))))}, "cursor", bson.D{})
	case "distinct":
		cmd = bson.Doc("distinct", o.collection, "key", get("fieldName"), "query", get("filter"))
	case "aggregate":
		cmd = bson.Doc("aggregate", o.target(), "pipeline", get("pipeline"), "cursor", bson.D{})
	case "createCollection":
		cmd = bson.Doc("create", o.collection)
		if v := a.Lookup("validator"); !v.IsZero() {
			cmd = append(cmd, bson.E{Key: "validator", Value: v})
		}
	case "runCommand":
		return []bson.Raw{sub(a, "command")}
	case "bulkWrite":
		var out []bson.Raw
		for _, r := range docs(a.Lookup("requests")) {
			first, _ := r.Index(0)
			name, args := first.Key, sub(r, first.Key)
			if first.Key == "name" {
				name, args = str(r, "name"), sub(r, "arguments")
			}
			if name == "insertOne" {
				inserted := operation{name: name, collection: o.collection, arguments: args}
				out = append(out, inserted.commands(t)...)
				continue
			}
			out = append(out, o.statementCommands(t, name, args)...)
		}
		return mergeInserts(t, out)
	case "clientBulkWrite":
		return o.clientBulkWrite(t)
	default:
		return nil
	}
	return []bson.Raw{marshalDoc(t, cmd)}
}

func marshalDoc(t *testing.T, doc bson.D) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// target is what aggregate names: a database has no collection.
func (o operation) target() any {
	if o.collection == "" {
		return int32(1)
	}
	return o.collection
}

// statementCommands returns the command of an update or a delete.
func (o operation) statementCommands(t *testing.T, name string, a bson.Raw) []bson.Raw {
	if strings.HasPrefix(name, "delete") {
		limit := int32(1)
		if name == "deleteMany" {
			limit = 0
		}
		return []bson.Raw{marshalDoc(t, bson.Doc("delete", o.collection,
			"deletes", bson.A{bson.Doc("q", a.Lookup("filter"), "limit", limit)}))}
	}
	u := a.Lookup("update")
	if name == "replaceOne" {
		u = a.Lookup("replacement")
	}
	s := bson.Doc("q", a.Lookup("filter"), "u", u, "multi", name == "updateMany")
	for _, key := range []string{"upsert", "arrayFilters"} {
		if v := a.Lookup(key); !v.IsZero() {
			s = append(s, bson.E{Key: key, Value: v})
		}
	}
	return []bson.Raw{marshalDoc(t, bson.Doc("update", o.collection, "updates", bson.A{s}))}
}

// mergeInserts joins the documents of consecutive inserts.
func mergeInserts(t *testing.T, commands []bson.Raw) (out []bson.Raw) {
	for _, cmd := range commands {
		first, _ := cmd.Index(0)
		if len(out) > 0 && first.Key == "insert" {
			if last, _ := out[len(out)-1].Index(0); last.Key == "insert" {
				all := append(docs(out[len(out)-1].Lookup("documents")), docs(cmd.Lookup("documents"))...)
				out[len(out)-1] = marshalDoc(t, bson.Doc("insert", first.Value, "documents", all))
				continue
			}
		}
		out = append(out, cmd)
	}
	return out
}

func (o operation) clientBulkWrite(t *testing.T) []bson.Raw {
	var ops bson.A
	namespace := ""
	for _, m := range docs(o.arguments.Lookup("models")) {
		first, _ := m.Index(0)
		args := sub(m, first.Key)
		namespace = str(args, "namespace")
		switch first.Key {
		case "insertOne":
			ops = append(ops, bson.Doc("insert", int32(0), "document", args.Lookup("document")))
		case "replaceOne":
			ops = append(ops, bson.Doc("update", int32(0), "filter", args.Lookup("filter"), "updateMods", args.Lookup("replacement"), "multi", false))
		}
	}
	return []bson.Raw{marshalDoc(t, bson.Doc("bulkWrite", int32(1), "ops", ops, "nsInfo", bson.A{bson.Doc("ns", namespace)}))}
}
