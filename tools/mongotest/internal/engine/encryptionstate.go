package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// snapshotState reads the state collections of Queryable Encryption.
type snapshotState struct{ snap *store.Snapshot }

func (s snapshotState) Find(db, name string, id bson.RawValue) (bson.Raw, bool) {
	return findIn(s.snap.Collection(db, name), id)
}

func findIn(c *store.Collection, id bson.RawValue) (bson.Raw, bool) {
	if c == nil {
		return nil, false
	}
	rec := c.FindID(id)
	if rec == nil {
		return nil, false
	}
	return rec.Doc, true
}

// writtenState writes the state collections in a transaction. It postpones its inserts until the document is stored,
// so that a refused document leaves no trace.
type writtenState struct {
	e       *Engine
	r       *Request
	tx      *store.Txn
	waiting []waitingDocument
	known   map[string]bson.Raw // by namespace and _id
}

type waitingDocument struct {
	db, name string
	doc      bson.Raw
}

func stateKey(db, name string, id bson.RawValue) string {
	return db + "." + name + "\x00" + string(id.Value)
}

func (s *writtenState) Find(db, name string, id bson.RawValue) (bson.Raw, bool) {
	if doc, ok := s.known[stateKey(db, name, id)]; ok {
		return doc, true
	}
	return findIn(s.tx.Collection(db, name), id)
}

func (s *writtenState) Insert(db, name string, doc bson.Raw) error {
	if s.known == nil {
		s.known = map[string]bson.Raw{}
	}
	s.known[stateKey(db, name, id(doc))] = doc
	s.waiting = append(s.waiting, waitingDocument{db, name, doc})
	return nil
}

func (s *writtenState) Delete(db, name string, id bson.RawValue) error {
	c := s.tx.Collection(db, name)
	if c == nil {
		return nil
	}
	if rec := c.FindID(id); rec != nil {
		return s.tx.Delete(db, name, rec)
	}
	return nil
}

func (s *writtenState) All(db, name string) []bson.Raw {
	c := s.tx.Collection(db, name)
	if c == nil {
		return nil
	}
	var out []bson.Raw
	for scan := c.Scan(0); ; {
		rec := scan.Next()
		if rec == nil {
			return out
		}
		out = append(out, rec.Doc)
	}
}

// flush inserts the entries that writtenState held back. It creates missing state collections.
func (s *writtenState) flush() error {
	for _, w := range s.waiting {
		if _, err := s.e.ensureCollection(s.tx, s.r, w.db, w.name); err != nil {
			return err
		}
		if err := s.tx.Insert(w.db, w.name, w.doc); err != nil {
			return err
		}
	}
	s.waiting, s.known = nil, nil
	return nil
}

// schema returns a collection's schema in the command's encryptionInformation, or nil.
func (r *Request) schema(db, name string) *encrypted.Schema {
	return encrypted.Of(r.encryption, db, name)
}
