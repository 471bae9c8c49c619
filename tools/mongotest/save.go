package mongotest

import (
	"bufio"
	"io"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Save writes what is stored at this moment as lines of canonical extended JSON, which need no other file to be read: for each
// collection the commands that make it, create and createIndexes, with the database in $db, and then its documents as
// {"insert": collection, "document": ..., "$db": ...}. What the server keeps for itself, such as local.oplog.rs, is left out, and
// so are users and sessions. It waits for no command.
func (d *Deployment) Save(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	now := d.cluster.Stored()
	for _, db := range now.Databases() {
		if db == "local" || db == "config" || db == "admin" {
			continue
		}
		var views []*store.Collection // they come last: each stands on another collection
		for _, c := range now.Collections(db) {
			switch {
			case c.IsView():
				views = append(views, c)
			case !c.IsProvided():
				if err := saveCollection(out, c); err != nil {
					return err
				}
			}
		}
		for _, v := range views {
			if err := saveLine(out, creation(v)); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func saveCollection(out *bufio.Writer, c *store.Collection) error {
	if err := saveLine(out, creation(c)); err != nil {
		return err
	}
	indexes := bson.A{}
	for _, x := range c.Indexes() {
		if x.Name != "_id_" && x.Spec.Lookup("clustered").IsZero() {
			indexes = append(indexes, x.Spec)
		}
	}
	if len(indexes) > 0 {
		if err := saveLine(out, bson.Doc("createIndexes", c.Name, "indexes", indexes, "$db", c.DB)); err != nil {
			return err
		}
	}
	for scan := c.Scan(0); ; {
		r := scan.Next()
		if r == nil {
			return nil
		}
		if err := saveLine(out, bson.Doc("insert", c.Name, "document", r.Doc, "$db", c.DB)); err != nil {
			return err
		}
	}
}

// creation is the command that makes a collection or a view.
func creation(c *store.Collection) bson.D {
	doc := bson.Doc("create", c.Name)
	for key, v := range c.Options.Document.All() {
		doc = append(doc, bson.E{Key: key, Value: v})
	}
	return append(doc, bson.E{Key: "$db", Value: c.DB})
}

func saveLine(out *bufio.Writer, v any) error {
	line, err := bson.MarshalExtJSON(v, true)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
