package changestream

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/diff"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// startEvent starts an event with the fields that all events have.
func (s *Stream) startEvent(kind string, e *store.Entry, token Token) (dst []byte, start int) {
	dst, start = bson.AppendDocumentStart(make([]byte, 0, 512+len(e.After)))
	dst = bson.AppendDocumentElement(dst, "_id", token.Document())
	dst = bson.AppendStringElement(dst, "operationType", kind)
	dst = bson.AppendTimestampElement(dst, "clusterTime", e.Time.T(), e.Time.I())
	if s.Expanded && e.UUID != (bson.UUID{}) && !e.View {
		dst = bson.AppendBinaryElement(dst, "collectionUUID", bsontype.BinaryUUID, e.UUID[:])
	}
	if s.Wire >= wire.Server60 {
		dst = bson.AppendDateTimeElement(dst, "wallTime", e.Wall.UnixMilli())
	}
	return dst, start
}

func (s *Stream) makeInvalidate(e *store.Entry, token Token) bson.Raw {
	bare := *e
	bare.UUID = bson.UUID{}
	dst, start := s.startEvent("invalidate", &bare, token)
	return bson.AppendDocumentEnd(dst, start)
}

// makeEvent returns the event, with its fields in the server's order.
func (s *Stream) makeEvent(kind string, e *store.Entry, token Token) (bson.Raw, error) {
	dst, start := s.startEvent(kind, e, token)
	if e.Origin.InTxn {
		dst = bson.AppendInt64Element(dst, "txnNumber", e.Origin.TxnNumber)
		dst = bson.AppendDocumentElement(dst, "lsid", e.Origin.LSID)
	}
	full, err := s.fullDocument(kind, e)
	if err != nil {
		return nil, err
	}
	if !full.IsZero() {
		dst = bson.AppendRawValueElement(dst, "fullDocument", full)
	}
	dst = appendNamespace(dst, "ns", e.DB, e.Name)
	if kind == "rename" {
		db, name := target(e)
		dst = appendNamespace(dst, "to", db, name)
	}
	if e.Key != nil {
		dst = bson.AppendDocumentElement(dst, "documentKey", e.Key)
	}
	if kind == "update" {
		dst = s.appendDescription(dst, e)
	}
	if dst, err = s.appendBefore(dst, kind, e, token); err != nil {
		return nil, err
	}
	if s.Expanded {
		dst = s.appendOperation(dst, kind, e)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func appendNamespace(dst []byte, key, db, name string) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, key)
	dst = bson.AppendStringElement(dst, "db", db)
	if name != "" {
		dst = bson.AppendStringElement(dst, "coll", name)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// fullDocument returns the document of an insert or a replacement. For an update it returns the document only if the
// stream asks for it.
func (s *Stream) fullDocument(kind string, e *store.Entry) (bson.RawValue, error) {
	switch {
	case kind == "insert" || kind == "replace":
		return value.Document(e.After), nil
	case kind != "update":
		return bson.RawValue{}, nil
	}
	var found bson.Raw
	switch s.FullDocument {
	case "updateLookup":
		found = s.Lookup(e.DB, e.UUID, path.Field(e.Key, "_id"))
	case "whenAvailable", "required":
		if e.Images {
			found = e.After
		}
	default:
		return bson.RawValue{}, nil
	}
	switch {
	case found != nil:
		return value.Document(found), nil
	case s.FullDocument == "required":
		return bson.RawValue{}, s.errMissing("a post-image for all update events", "post-image", e)
	}
	return value.Null, nil
}

// appendBefore appends the state before the change.
func (s *Stream) appendBefore(dst []byte, kind string, e *store.Entry, _ Token) ([]byte, error) {
	switch {
	case s.Before == "" || s.Before == "off" || kind != "update" && kind != "replace" && kind != "delete":
		return dst, nil
	case e.Images:
		return bson.AppendDocumentElement(dst, "fullDocumentBeforeChange", e.Before), nil
	case s.Before == "required":
		return nil, s.errMissing("a pre-image for all update, delete and replace events", "pre-image", e)
	}
	return bson.AppendNullElement(dst, "fullDocumentBeforeChange"), nil
}

func (s *Stream) errMissing(wanted, image string, e *store.Entry) error {
	return status.Errorf(errcode.NoMatchingDocument, "Change stream was configured to require %s, but the %s was not found for event: %s",
		wanted, image, status.Text(e.Key))
}

// appendDescription appends updateDescription.
func (s *Stream) appendDescription(dst []byte, e *store.Entry) []byte {
	is := diff.Describe(e.Diff)
	dst, start := bson.AppendDocumentElementStart(dst, "updateDescription")
	dst = bson.AppendDocumentElement(dst, "updatedFields", is.Updated)
	dst = bson.AppendRawValueElement(dst, "removedFields", is.Removed)
	if s.Wire >= wire.Server50 {
		dst = bson.AppendRawValueElement(dst, "truncatedArrays", is.Truncated)
	}
	if s.Expanded && s.Wire >= wire.Server61 {
		dst = bson.AppendDocumentElement(dst, "disambiguatedPaths", is.Paths)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// appendOperation appends the additional fields in the expanded event of a command.
func (s *Stream) appendOperation(dst []byte, kind string, e *store.Entry) []byte {
	if about := s.operation(kind, e); about != nil {
		dst = bson.AppendDocumentElement(dst, "operationDescription", about)
	}
	switch {
	case kind == "create" && s.Wire >= wire.Server81:
		dst = bson.AppendStringElement(dst, "nsType", namespaceType(e))
	case kind == "modify":
		var start int
		dst, start = bson.AppendDocumentElementStart(dst, "stateBeforeChange")
		for _, part := range [...][2]string{{"collectionOptions_old", "collectionOptions"}, {"indexOptions_old", "indexOptions"}} {
			if old := path.Field(e.Old, part[0]); !old.IsZero() {
				dst = bson.AppendRawValueElement(dst, part[1], old)
			}
		}
		dst = bson.AppendDocumentEnd(dst, start)
	}
	return dst
}

func namespaceType(e *store.Entry) string {
	switch {
	case e.View:
		return "view"
	case !path.Field(e.Command, "timeseries").IsZero():
		return "timeseries"
	}
	return "collection"
}

// operation returns the operationDescription of an expanded event, or nil.
func (s *Stream) operation(kind string, e *store.Entry) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	switch kind {
	case "create", "modify":
		dst = appendRest(dst, e.Command)
	case "shardCollection", "reshardCollection", "refineCollectionShardKey":
		dst = appendRest(dst, e.Old)
	case "createIndexes":
		spec, in := bson.AppendDocumentStart(nil)
		spec = bson.AppendDocumentEnd(appendRest(spec, e.Command), in)
		dst = bson.AppendRawValueElement(dst, "indexes", value.ArrayOf(value.Document(spec)))
	case "dropIndexes":
		dst = bson.AppendRawValueElement(dst, "indexes", value.ArrayOf(value.Document(e.Old)))
	case "rename":
		db, name := target(e)
		dst = appendNamespace(dst, "to", db, name)
		if dropped := path.Field(e.Command, "dropTarget"); !dropped.IsZero() {
			dst = bson.AppendRawValueElement(dst, "dropTarget", dropped)
		}
	default:
		return nil
	}
	return bson.AppendDocumentEnd(dst, start)
}

// appendRest appends a command's arguments.
func appendRest(dst []byte, command bson.Raw) []byte {
	first := true
	for key, v := range command.All() {
		if !first {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
		first = false
	}
	return dst
}
