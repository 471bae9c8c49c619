package changestream

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Stream says what a change stream shows.
type Stream struct {
	DB, Collection string // an empty collection is the whole database, an empty database everything
	FullDocument   string // default, updateLookup, whenAvailable or required
	Before         string // off, whenAvailable or required: the state before a change
	Expanded       bool   // changes of the catalog are events too
	Wire           int32
	// Lookup finds the present version of a document, for updateLookup; nil when it is gone.
	Lookup func(db string, collection bson.UUID, id bson.RawValue) bson.Raw
}

// Event is one event.
type Event struct {
	Token    Token
	Document bson.Raw
}

// kindOf is the operationType of an entry; empty for what no stream shows.
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

// commandKinds are the operationTypes of commands. The others are those of noops that routers write.
var commandKinds = map[string]string{
	"drop": "drop", "renameCollection": "rename", "dropDatabase": "dropDatabase", "create": "create",
	"createIndexes": "createIndexes", "dropIndexes": "dropIndexes", "collMod": "modify",
	"shardCollection": "shardCollection", "reshardCollection": "reshardCollection",
	"refineCollectionShardKey": "refineCollectionShardKey",
}

// expandedKinds are the events of streams with showExpandedEvents alone.
var expandedKinds = map[string]bool{
	"create": true, "createIndexes": true, "dropIndexes": true, "modify": true, "shardCollection": true, "reshardCollection": true,
	"refineCollectionShardKey": true,
}

// sees reports whether the stream is about a namespace.
func (s *Stream) sees(db, name string) bool {
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

// Events are what the stream shows of an entry: nothing, an event, or an event and the one that ends the stream.
func (s *Stream) Events(e *store.Entry) ([]Event, error) {
	kind := s.kindOf(e)
	if kind == "" || !s.shows(kind, e) {
		return nil, nil
	}
	identifier := s.identifier(kind, e)
	ev := Event{Token: tokenOf(s.Wire, e, identifier, false)}
	var err error
	if ev.Document, err = s.document(kind, e, ev.Token); err != nil {
		return nil, err
	}
	list := []Event{ev}
	if s.invalidates(kind) {
		end := tokenOf(s.Wire, e, identifier, true)
		list = append(list, Event{end, s.invalidate(e, end)})
	}
	return list, nil
}

// Tokens are the tokens that an entry may have in the stream, that of an invalidate event too.
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
		return s.sees(e.DB, e.Name) || s.sees(db, name)
	case "dropDatabase":
		return s.Collection == "" && s.sees(e.DB, "")
	}
	return s.sees(e.DB, e.Name)
}

// target is the new name of a collection that is renamed.
func target(e *store.Entry) (db, name string) {
	db, name, _ = strings.Cut(value.Text(path.Field(e.Command, "to")), ".")
	return db, name
}

// invalidates reports whether the stream ends with such an event.
func (s *Stream) invalidates(kind string) bool {
	switch {
	case s.Collection != "":
		return kind == "drop" || kind == "rename"
	case s.DB != "":
		return kind == "dropDatabase"
	}
	return false
}

// identifier tells the event from others of the same time and collection. Servers before 6.0 take the document's key.
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
