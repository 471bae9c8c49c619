package queryanalysis

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/match"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/pipeline"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/update"
)

// appendCommand appends a whole command.
func (a *analysisRun) appendCommand(dst []byte, cmd bson.Raw) ([]byte, error) {
	first, _ := cmd.Index(0)
	return a.appendArguments(dst, first.Key, cmd)
}

// appendArguments appends a command, or a statement of one, argument by argument.
func (a *analysisRun) appendArguments(dst []byte, name string, doc bson.Raw) ([]byte, error) {
	if err := refusal.CheckUniqueKeys(name, doc); err != nil {
		return dst, err
	}
	class, _ := analysis.OfCommand(name)
	isCommand := class == analysis.ClassAnalyze && analysis.OfArgument(name, name) != analysis.ArgumentCommand
	outer := a.marker.Collated
	a.marker.Collated = outer || usesCollation(doc)
	defer func() { a.marker.Collated = outer }()
	dst, start := bson.AppendDocumentStart(dst)
	r := bson.NewReader(doc)
	for i := 0; r.Next(); i++ {
		key, v := r.Key(), r.Value()
		if i == 0 && key == name && isCommand { // a statement has no name of its own
			dst = bson.AppendRawValueElement(dst, key, v)
			continue
		}
		var err error
		if dst, err = a.appendArgument(dst, argument{name, key, v, doc}); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), r.Err()
}

// usesCollation reports whether a command or statement compares texts by a collation other than the simple one.
func usesCollation(doc bson.Raw) bool {
	v := doc.Lookup("collation")
	if v.IsZero() || v.IsNull() {
		return false
	}
	c, ok := v.DocumentOK()
	locale, named := c.Lookup("locale").StringOK()
	return !ok || c.Len() > 0 && !(named && locale == "simple" && c.Len() == 1)
}

// argument is one argument of a command or statement.
type argument struct {
	command, name string
	value         bson.RawValue
	of            bson.Raw // the command or statement
}

func (g argument) refuse() error {
	return refusal.New(g.command, "", "the argument %q is not supported where fields are encrypted", g.name)
}

// setsFlag reports whether the command or statement sets a flag.
func (g argument) setsFlag(name string) bool {
	b, _ := g.of.Lookup(name).AsBoolOK()
	return b
}

func (a *analysisRun) appendArgument(dst []byte, g argument) ([]byte, error) {
	switch rule := analysis.OfArgument(g.command, g.name); rule {
	case analysis.ArgumentPass, analysis.ArgumentNamespaces, analysis.ArgumentSchema:
		return bson.AppendRawValueElement(dst, g.name, g.value), nil
	case analysis.ArgumentFilter, analysis.ArgumentDocument, analysis.ArgumentCommand:
		doc, ok := g.value.DocumentOK()
		if !ok {
			return dst, g.refuse()
		}
		return a.appendDocument(dst, rule, g, doc)
	case analysis.ArgumentDocuments, analysis.ArgumentUpdates, analysis.ArgumentDeletes, analysis.ArgumentOps, analysis.ArgumentIndexes:
		return a.appendEach(dst, rule, g)
	case analysis.ArgumentUpdate:
		if g.value.Type == bsontype.Array {
			return bson.AppendRawValueElement(dst, g.name, g.value), a.checkPipelineUpdate(g)
		}
		u := update.Update{Marker: &a.marker, Tree: a.tree, Upsert: g.setsFlag("upsert")}
		return u.Append(dst, g.name, g.value)
	case analysis.ArgumentPipeline, analysis.ArgumentView:
		return a.appendPipeline(dst, rule, g)
	case analysis.ArgumentValidator:
		return a.appendValidator(dst, g)
	case analysis.ArgumentLet:
		return bson.AppendRawValueElement(dst, g.name, g.value), a.checkLet(g)
	case analysis.ArgumentProjection:
		return bson.AppendRawValueElement(dst, g.name, g.value), a.checkProjection(g)
	}
	return bson.AppendRawValueElement(dst, g.name, g.value), a.permit(g)
}

func (a *analysisRun) appendDocument(dst []byte, rule analysis.Argument, g argument, doc bson.Raw) ([]byte, error) {
	switch rule {
	case analysis.ArgumentFilter:
		return match.Append(dst, g.name, doc, a.env)
	case analysis.ArgumentDocument:
		return a.appendInserted(dst, g.name, doc)
	}
	return a.appendCommand(bson.AppendHeader(dst, bsontype.EmbeddedDocument, g.name), doc)
}

// appendInserted appends a document that is inserted.
func (a *analysisRun) appendInserted(dst []byte, key string, doc bson.Raw) ([]byte, error) {
	if err := mark.CheckID(doc, a.tree); err != nil {
		return dst, err
	}
	a.marker.Inserts = true
	return a.marker.AppendDocument(bson.AppendHeader(dst, bsontype.EmbeddedDocument, key), doc, a.tree, a.target.Name)
}

// appendEach appends an array of documents or statements.
func (a *analysisRun) appendEach(dst []byte, rule analysis.Argument, g argument) ([]byte, error) {
	list, ok := g.value.ArrayOK()
	if !ok {
		return dst, g.refuse()
	}
	dst, start := bson.AppendArrayElementStart(dst, g.name)
	r := bson.NewReader(bson.Raw(list))
	for i := 0; r.Next(); i++ {
		doc, ok := r.Value().DocumentOK()
		if !ok {
			return dst, g.refuse()
		}
		if i > 0 && a.isQE() && rule != analysis.ArgumentDocuments && rule != analysis.ArgumentIndexes {
			if err := a.refuseSeveral(rule, g, list); err != nil {
				return dst, err
			}
		}
		var err error
		if dst, err = a.appendElement(dst, strconv.Itoa(i), rule, doc); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), r.Err()
}

// refuseSeveral refuses more than one statement that changes documents, which Queryable Encryption does not support.
func (a *analysisRun) refuseSeveral(rule analysis.Argument, g argument, list bson.RawArray) error {
	if rule != analysis.ArgumentOps {
		return refusal.New(g.command, "", "Queryable Encryption supports only one statement per command")
	}
	for _, v := range list.All() {
		op, _ := v.DocumentOK()
		first, _ := op.Index(0)
		if analysis.OfArgument("ops."+first.Key, "document") != analysis.ArgumentDocument {
			return refusal.Text(g.command, "", analysis.BulkWriteInserts())
		}
	}
	return nil
}

func (a *analysisRun) appendElement(dst []byte, key string, rule analysis.Argument, doc bson.Raw) ([]byte, error) {
	if rule == analysis.ArgumentDocuments {
		return a.appendInserted(dst, key, doc)
	}
	dst = bson.AppendHeader(dst, bsontype.EmbeddedDocument, key)
	switch rule {
	case analysis.ArgumentUpdates:
		return a.appendArguments(dst, "updates", doc)
	case analysis.ArgumentDeletes:
		return a.appendArguments(dst, "deletes", doc)
	case analysis.ArgumentOps:
		first, _ := doc.Index(0)
		return a.appendArguments(dst, "ops."+first.Key, doc)
	}
	return append(dst, doc...), a.checkIndex(doc)
}

// checkPipelineUpdate checks an update by a pipeline. One that upserts gets its _id from the server, unless the filter has it.
func (a *analysisRun) checkPipelineUpdate(g argument) error {
	if g.setsFlag("upsert") && a.tree.Child("_id") != nil {
		return refusal.New(g.name, "_id", "an update by a pipeline cannot upsert where the schema encrypts _id")
	}
	return pipeline.CheckUpdate(g.name, g.value, a.quietEnv())
}

// appendPipeline appends an aggregation pipeline. A view compares nothing with encrypted fields: its definition stays on the server.
func (a *analysisRun) appendPipeline(dst []byte, rule analysis.Argument, g argument) ([]byte, error) {
	tree, on := a.tree, a.target.Collection
	if rule == analysis.ArgumentView {
		on, _ = g.of.Lookup("viewOn").StringOK()
		var err error
		if tree, err = a.joinedTree(on); err != nil {
			return dst, err
		}
		a.marker.Refuse = true
	}
	p := pipeline.Pipeline{Marker: &a.marker, Collection: on, QE: a.isQE(), Schema: a.joinedTree}
	dst, _, err := p.Append(dst, g.name, g.value, expression.Env{Marker: &a.marker, Tree: tree})
	return dst, err
}
