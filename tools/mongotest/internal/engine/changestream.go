package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/changestream"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var changeStreamFields = []field{
	{"resumeAfter", 0, document}, {"startAfter", 0, document}, {"startAtOperationTime", 0, anything}, {"fullDocument", 0, text},
	{"fullDocumentBeforeChange", wire.Server60, text}, {"allChangesForCluster", 0, flag}, {"showExpandedEvents", wire.Server60, flag},
	{"showMigrationEvents", 0, flag}, {"showSystemEvents", wire.Server60, flag}, {"allowToRunOnConfigDB", 0, flag},
	{"showRawUpdateDescription", wire.Server60, flag}, {"showCommitTimestamp", wire.Server82, flag}, {"version", wire.Server82, text},
}

// changeStream checks the specification of $changeStream.
func (x *access) changeStream(spec bson.RawValue) (*streamSpec, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(50808, "$changeStream stage expects a document as argument.")
	}
	if x.e.standalone {
		return nil, status.Errorf(errcode.Location40573, "The $changeStream stage is only supported on replica sets")
	}
	a, err := x.r.parseStatement("$changeStream", d, changeStreamFields)
	if err != nil {
		return nil, err
	}
	if level := x.r.ReadLevel; level != "" && level != "majority" {
		return nil, status.Errorf(errcode.InvalidOptions,
			"$changeStream cannot run with a readConcern other than 'majority', or in a multi-document transaction. Current "+
				"readConcern: { level: \"%s\" }", level)
	}
	f := &streamSpec{stream: changestream.Stream{
		DB: x.r.DB, Collection: x.collection, FullDocument: a.text("fullDocument"), Before: a.text("fullDocumentBeforeChange"),
		Expanded: a.bool("showExpandedEvents"), Wire: x.r.WireVersion, Lookup: x.e.lookUp,
	}}
	if x.onDatabase {
		f.stream.Collection = ""
	}
	if err := f.checkNamespace(a.bool("allChangesForCluster"), a.bool("allowToRunOnConfigDB")); err != nil {
		return nil, err
	}
	if err := checkImages(x.r, a); err != nil {
		return nil, err
	}
	return f, f.begin(x.e, a, x.r.Arrived)
}

// checkNamespace refuses the server's own namespaces. Only admin can follow the whole deployment.
func (f *streamSpec) checkNamespace(all, config bool) error {
	s := &f.stream
	name := s.DB + "." + s.Collection
	switch {
	case all && (s.DB != "admin" || s.Collection != ""):
		return status.Errorf(errcode.InvalidOptions,
			"A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin' database, and with no "+
				"collection name; found %s", name)
	case all:
		s.DB = ""
	case s.DB == "admin", s.DB == "local", s.DB == "config" && !config:
		return status.Errorf(errcode.InvalidNamespace, "$changeStream may not be opened on the internal %s database", s.DB)
	case strings.HasPrefix(s.Collection, "system."):
		return status.Errorf(errcode.InvalidNamespace, "$changeStream may not be opened on the internal %s collection", name)
	}
	return nil
}

// checkImages refuses unknown modes of fullDocument and fullDocumentBeforeChange.
func checkImages(r *Request, a *args) error {
	if r.WireVersion < wire.Server60 {
		if v := a.get("fullDocument"); !v.IsZero() && a.text("fullDocument") != "default" && a.text("fullDocument") != "updateLookup" {
			return status.Errorf(40575,
				"unrecognized value for the 'fullDocument' option to the $changeStream stage. Expected \"default\" or "+
					"\"updateLookup\", got \"%s\"", a.text("fullDocument"))
		}
		return nil
	}
	if err := checkChoice("$changeStream", a, "fullDocument", "default", "updateLookup", "whenAvailable", "required"); err != nil {
		return err
	}
	return checkChoice("$changeStream", a, "fullDocumentBeforeChange", "off", "whenAvailable", "required")
}

// begin returns where the stream starts: after the last write before the command arrived, unless the command names a
// starting point. A later write may overtake the command on another connection.
func (f *streamSpec) begin(e *Engine, a *args, arrived store.Timestamp) error {
	given := 0
	for _, name := range [...]string{"resumeAfter", "startAfter", "startAtOperationTime"} {
		if a.has(name) {
			given++
		}
	}
	switch {
	case a.has("resumeAfter") && a.has("startAfter"):
		return status.Errorf(50865, "Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage.")
	case given > 1:
		return status.Errorf(40674, "Only one type of resume option is allowed, but multiple were found.")
	case given == 0:
		if arrived == 0 {
			arrived = e.latestSnapshot().Time()
		}
		f.start = changestream.HighWaterMark(f.stream.Wire, arrived+1)
		return nil
	case a.has("startAtOperationTime"):
		v := a.get("startAtOperationTime")
		t, i, ok := v.TimestampOK()
		if !ok {
			return wrongOption("$changeStream", "startAtOperationTime", v, bsontype.Timestamp.String())
		}
		f.start = changestream.HighWaterMark(f.stream.Wire, store.MakeTimestamp(t, i))
	default:
		var err error
		name := "resumeAfter"
		if a.has("startAfter") {
			name = "startAfter"
		}
		if f.start, err = changestream.ParseToken(a.document(name)); err != nil {
			return err
		}
		if f.start.Invalidate && name == "resumeAfter" {
			return status.Errorf(errcode.InvalidResumeToken,
				"Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification.")
		}
		f.resume = !f.start.HighWater
	}
	if f.start.Time == 0 || !e.store.Oplog().Holds(f.start.Time-1) {
		return status.Errorf(errcode.ChangeStreamHistoryLost,
			"Resume of change stream was not possible, as the resume point may no longer be in the oplog.")
	}
	return nil
}

// lookUp finds the current version of a document by its collection's UUID.
func (e *Engine) lookUp(db string, collection bson.UUID, id bson.RawValue) bson.Raw {
	for _, c := range e.majority().Collections(db) {
		if c.UUID != collection {
			continue
		}
		if rec := c.FindID(id); rec != nil {
			return rec.Doc
		}
	}
	return nil
}

// addResumableLabel adds the label that tells a driver that it can resume the stream.
func addResumableLabel(r *Request, err error) error {
	if err == nil {
		return nil
	}
	e := *status.From(err)
	switch {
	case e.Labels != nil:
	case Resumable(e.Code, r.WireVersion):
		e.Labels = []string{errcode.LabelResumableChangeStreamError}
	}
	return &e
}

// Resumable reports whether a server labels a change stream error as resumable. CursorNotFound needs no label: drivers
// resume after it anyway.
func Resumable(code errcode.Code, version int32) bool {
	return version >= wire.Server44 && code != errcode.CursorNotFound && (code.IsResumable() || code == errcode.QueryPlanKilled)
}
