package mongotest

import (
	"bufio"
	"io"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Save writes what is stored at this moment as lines of canonical extended JSON, which a reader can load without any
// other file. For each collection it writes the commands that create it, create and createIndexes, with the database in
// $db. Then it writes the documents as {"insert": collection, "document": ..., "$db": ...}. It leaves out users,
// sessions and the server's own data, such as local.oplog.rs. It does not wait for running commands.
func (d *Deployment) Save(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	now := d.cluster.Stored()
	for _, db := range now.Databases() {
		if db == "local" || db == "config" || db == "admin" {
			continue
		}
		var views []*store.Collection // they come last, because each depends on another collection
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
			if err := saveLine(out, creationCommand(v)); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func saveCollection(out *bufio.Writer, c *store.Collection) error {
	if err := saveLine(out, creationCommand(c)); err != nil {
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

// creationCommand returns the command that creates a collection or a view.
func creationCommand(c *store.Collection) bson.D {
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
