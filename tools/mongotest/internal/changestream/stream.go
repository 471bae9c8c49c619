package changestream

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Stream describes what a change stream shows.
type Stream struct {
	DB, Collection string // without a collection, the whole database; without a database, the whole deployment
	FullDocument   string // default, updateLookup, whenAvailable or required
	Before         string // off, whenAvailable or required: the state before a change
	Expanded       bool   // report changes of the catalog too
	Wire           int32
	// Lookup returns the current version of a document for updateLookup, or nil if it is gone.
	Lookup func(db string, collection bson.UUID, id bson.RawValue) bson.Raw
}

// Event is one change event.
type Event struct {
	Token    Token
	Document bson.Raw
}

// kindOf returns the operationType of an entry, or "" if no stream shows it.
func (s *Stream) kindOf(e *store.Entry) string {
	if e.Silent {
		return ""
	}
	switch e.Op {
	case store.Insert:
		return "insert"
	case store.Delete:
		return "delete"
	case store.Update:
		if e.Replace {
			return "replace"
		}
		return "update"
	}
	name := e.Command
	if e.Op == store.Noop {
		name = e.Old
	}
	first, _ := name.Index(0)
	kind := commandKinds[first.Key]
	if expandedKinds[kind] && !s.Expanded || e.View && (!s.Expanded || s.Collection != "") {
		return ""
	}
	return kind
}

// commandKinds maps commands to operationTypes. The sharding commands appear as noops that routers write.
var commandKinds = map[string]string{
	"drop": "drop", "renameCollection": "rename", "dropDatabase": "dropDatabase", "create": "create",
	"createIndexes": "createIndexes", "dropIndexes": "dropIndexes", "collMod": "modify",
	"shardCollection": "shardCollection", "reshardCollection": "reshardCollection",
	"refineCollectionShardKey": "refineCollectionShardKey",
}

// expandedKinds are the events that only streams with showExpandedEvents report.
var expandedKinds = map[string]bool{
	"create": true, "createIndexes": true, "dropIndexes": true, "modify": true, "shardCollection": true, "reshardCollection": true,
	"refineCollectionShardKey": true,
}

// covers reports whether the stream covers a namespace.
func (s *Stream) covers(db, name string) bool {
	switch {
	case s.DB == "" && (db == "admin" || db == "config" || db == "local"):
		return false
	case s.DB != "" && db != s.DB:
		return false
	case s.Collection != "":
		return name == s.Collection
	}
	return !strings.HasPrefix(name, "system.")
}

// Events returns what the stream shows for an entry: nothing, one event, or one event and the event that ends the
// stream.
func (s *Stream) Events(e *store.Entry) ([]Event, error) {
	kind := s.kindOf(e)
	if kind == "" || !s.shows(kind, e) {
		return nil, nil
	}
	identifier := s.identifier(kind, e)
	ev := Event{Token: tokenOf(s.Wire, e, identifier, false)}
	var err error
	if ev.Document, err = s.makeEvent(kind, e, ev.Token); err != nil {
		return nil, err
	}
	list := []Event{ev}
	if s.invalidates(kind) {
		end := tokenOf(s.Wire, e, identifier, true)
		list = append(list, Event{end, s.makeInvalidate(e, end)})
	}
	return list, nil
}

// Tokens returns the tokens that an entry may have in the stream, including the token of an invalidate event.
func (s *Stream) Tokens(e *store.Entry) []Token {
	kind := s.kindOf(e)
	if kind == "" || !s.shows(kind, e) {
		return nil
	}
	identifier := s.identifier(kind, e)
	return []Token{tokenOf(s.Wire, e, identifier, false), tokenOf(s.Wire, e, identifier, true)}
}

func (s *Stream) shows(kind string, e *store.Entry) bool {
	switch kind {
	case "rename":
		db, name := target(e)
		return s.covers(e.DB, e.Name) || s.covers(db, name)
	case "dropDatabase":
		return s.Collection == "" && s.covers(e.DB, "")
	}
	return s.covers(e.DB, e.Name)
}

// target returns the new name of a renamed collection.
func target(e *store.Entry) (db, name string) {
	db, name, _ = strings.Cut(value.Text(path.Field(e.Command, "to")), ".")
	return db, name
}

// invalidates reports whether an event of this kind ends the stream.
func (s *Stream) invalidates(kind string) bool {
	switch {
	case s.Collection != "":
		return kind == "drop" || kind == "rename"
	case s.DB != "":
		return kind == "dropDatabase"
	}
	return false
}

// identifier distinguishes the event from others of the same time and collection. Servers before 6.0 use the document
// key.
func (s *Stream) identifier(kind string, e *store.Entry) bson.RawValue {
	if s.Wire < wire.Server60 {
		if e.Key == nil {
			return bson.RawValue{}
		}
		return value.Document(e.Key)
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, "operationType", kind)
	if e.Key != nil {
		d = bson.AppendDocumentElement(d, "documentKey", e.Key)
	} else if about := s.operation(kind, e); about != nil {
		d = bson.AppendDocumentElement(d, "operationDescription", about)
	}
	return value.Document(bson.AppendDocumentEnd(d, start))
}
