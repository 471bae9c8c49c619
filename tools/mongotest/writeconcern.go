package mongotest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// WriteConcernMode names a write concern of a replica set: a write has it once the members that have the write hold, for
// each tag, at least as many different values as tags says. The tags of members are set by [Deployment.Reconfigure].
func WriteConcernMode(name string, tags map[string]int) Option {
	return func(c *config) {
		if c.modes == nil {
			c.modes = map[string]map[string]int{}
		}
		c.modes[name] = tags
	}
}

// concerns are the write and the read concern of a command.
type concerns struct {
	office office // the primary's when the command began
	write  writeConcern
	read   readConcern
}

// writeConcern says how many members have to have a write before it is answered.
type writeConcern struct {
	w       int64
	mode    string         // "majority", or a name of the configuration
	tags    map[string]int // a mode that the command spells out
	j       *bool
	fsync   bool
	timeout time.Duration // 0 waits for ever
	source  string
}

const majority = "majority"

// writeConcernMax is the most members that w may ask for.
const writeConcernMax = 50

// checkWriteConcern reads the write concern of a command and refuses one that cannot be.
func (r *request) checkWriteConcern(c command) error {
	v := r.field("writeConcern")
	switch takes := c.any(writes) || r.name == "aggregate" || transactional[r.name]; {
	case !takes && v.IsZero():
		return nil
	case r.session != nil && r.session.inTransaction && !transactional[r.name]:
		if sent, ok := v.DocumentOK(); v.IsZero() || ok && len(sent) <= 5 {
			return nil
		}
		return status.Errorf(errcode.InvalidOptions, "writeConcern is not allowed within a multi-statement transaction")
	case !takes:
		return status.Errorf(errcode.InvalidOptions, "Command does not support writeConcern")
	}
	wc := writeConcern{w: -1, source: "clientSupplied"}
	d, ok := v.DocumentOK()
	switch {
	case !ok && !v.IsZero():
		return status.Errorf(errcode.TypeMismatch, `"writeConcern" had the wrong type. Expected object, found %s`, v.Type)
	case len(d) <= 5:
		wc.source = "implicitDefault"
	default:
		if err := wc.parse(r.d, d); err != nil {
			return err
		}
	}
	if wc.w < 0 {
		wc.w = 1
		if r.d.majorityByDefault() {
			wc.w, wc.mode = 0, majority
		}
	}
	r.concerns.write = wc
	if r.d.config.kind != standalone {
		return nil
	}
	switch {
	case wc.w > 1:
		return status.Errorf(errcode.BadValue, "cannot use 'w' > 1 when a host is not replicated")
	case wc.mode != "" && wc.mode != majority:
		return status.Errorf(errcode.BadValue, "cannot use non-majority 'w' mode %s when a host is not a member of a replica set", wc.mode)
	}
	return nil
}

// transactional are the commands that take a write concern though they write no documents.
var transactional = map[string]bool{
	"commitTransaction": true, "abortTransaction": true, "shardCollection": true, "enableSharding": true,
}

// majorityByDefault reports whether a write without a write concern waits for a majority: it does from version 5.0 on, but
// not where arbiters make one too hard to come by.
func (d *Deployment) majorityByDefault() bool {
	if !d.wireAtLeast("5.0") || d.set == nil {
		return d.wireAtLeast("5.0") && d.isRouter()
	}
	d.set.mu.Lock()
	defer d.set.mu.Unlock()
	voters, arbiters := len(d.set.members), d.set.arbiters()
	return arbiters == 0 || voters-arbiters > voters/2+1
}

func (wc *writeConcern) parse(d *Deployment, fields bson.Raw) error {
	for key, v := range fields.All() {
		switch key {
		case "w":
			if err := wc.parseW(d, v); err != nil {
				return err
			}
		case "j", "fsync":
			b, ok := v.AsBoolOK()
			if !ok {
				return status.Errorf(errcode.FailedToParse, "%s must be numeric or a boolean value", key)
			}
			if key == "j" {
				wc.j = &b
			} else {
				wc.fsync = b
			}
		case "wtimeout":
			ms, _ := v.AsInt64OK()
			wc.timeout = time.Duration(min(max(ms, 0), math.MaxInt32)) * time.Millisecond
		case "wElectionId", "wOpTime", "getLastError", "provenance":
		default:
			if d.wireAtLeast("5.0") {
				return status.Errorf(errcode.Location40415, "BSON field 'writeConcern.%s' is an unknown field.", key)
			}
			return status.Errorf(errcode.FailedToParse, "unrecognized write concern field: %s", key)
		}
	}
	if wc.fsync && wc.j != nil && *wc.j {
		return status.Errorf(errcode.FailedToParse, "fsync and j options cannot be used together")
	}
	return nil
}

func (wc *writeConcern) parseW(d *Deployment, v bson.RawValue) error {
	if n, ok := v.AsInt64OK(); ok {
		if n < 0 || n > writeConcernMax {
			return status.Errorf(errcode.FailedToParse, "w has to be a non-negative number and not greater than %d", writeConcernMax)
		}
		wc.w = n
		return nil
	}
	if mode, ok := v.StringOK(); ok {
		wc.w, wc.mode = 0, mode
		return nil
	}
	tags, ok := v.DocumentOK()
	if !d.wireAtLeast("6.0") {
		return status.Errorf(errcode.FailedToParse, "w has to be a number or a string")
	}
	if !ok && v.Type != bsontype.Null {
		return status.Errorf(errcode.FailedToParse, "w has to be a number, string, or object; found: %s", v.Type)
	}
	if !ok {
		return nil
	}
	wc.w, wc.tags = 0, map[string]int{}
	for key, v := range tags.All() {
		n, _ := v.AsInt64OK()
		wc.tags[key] = int(n)
	}
	return nil
}

// unacknowledged reports a write that the client does not want to hear of.
func (wc *writeConcern) unacknowledged() bool {
	return wc.w == 0 && wc.mode == "" && wc.tags == nil && !wc.fsync && (wc.j == nil || !*wc.j)
}

// document is the write concern as the server reports it.
func (wc *writeConcern) document() bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	switch {
	case wc.mode != "":
		d = bson.AppendStringElement(d, "w", wc.mode)
	case wc.tags != nil:
		var in int
		d, in = bson.AppendDocumentElementStart(d, "w")
		for _, tag := range sortedKeys(wc.tags) {
			d = bson.AppendInt32Element(d, tag, int32(wc.tags[tag]))
		}
		d = bson.AppendDocumentEnd(d, in)
	default:
		d = bson.AppendInt32Element(d, "w", int32(wc.w))
	}
	if wc.fsync {
		d = bson.AppendBooleanElement(d, "fsync", true)
	} else if wc.j != nil {
		d = bson.AppendBooleanElement(d, "j", *wc.j)
	}
	d = bson.AppendInt32Element(d, "wtimeout", int32(wc.timeout/time.Millisecond))
	d = bson.AppendStringElement(d, "provenance", wc.source)
	return bson.AppendDocumentEnd(d, start)
}

// interrupted is the error of a wait whose context ended: it took too long, or was killed.
func interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return status.Errorf(errcode.MaxTimeMSExpired, "operation exceeded time limit")
	}
	return status.Errorf(errcode.Interrupted, "operation was interrupted")
}

// appendWriteConcernError adds what became of the wait for a write concern to a reply, with the labels that belong to it.
func (r *request) appendWriteConcernError(dst []byte, e *status.Error) []byte {
	wc := &r.concerns.write
	dst, start := bson.AppendDocumentElementStart(dst, "writeConcernError")
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = bson.AppendStringElement(dst, "codeName", r.d.nameOf(e))
	dst = bson.AppendStringElement(dst, "errmsg", e.Message)
	timedOut := e.Code == errcode.WriteConcernTimeout
	if timedOut || r.d.wireAtLeast("4.4") {
		var info int
		dst, info = bson.AppendDocumentElementStart(dst, "errInfo")
		if timedOut {
			dst = bson.AppendBooleanElement(dst, "wtimeout", true)
		}
		if r.d.wireAtLeast("4.4") {
			dst = bson.AppendDocumentElement(dst, "writeConcern", wc.document())
		}
		dst = bson.AppendDocumentEnd(dst, info)
	}
	dst = bson.AppendDocumentEnd(dst, start)
	if labels := r.d.labelsOf(r, e); len(labels) > 0 {
		dst = appendStrings(dst, "errorLabels", labels)
	}
	return r.d.appendTopologyVersion(dst, r, e.Code)
}

// nameOf is the name of an error code in the deployment's version.
func (d *Deployment) nameOf(e *status.Error) string {
	if e.Code == errcode.UnsatisfiableWriteConcern && !d.wireAtLeast("4.4") || e.Code == errcode.WriteConcernTimeout && !d.wireAtLeast("8.0") {
		return e.Code.FormerName()
	}
	return d.codeName(e)
}

func unknownMode(name string) *status.Error {
	return status.Errorf(errcode.UnknownReplWriteConcern, "No write concern mode named '%s' found in replica set configuration", name)
}

func unsatisfiable(mode string) *status.Error {
	if mode != "" {
		return status.Errorf(errcode.UnsatisfiableWriteConcern, "%s", fmt.Sprintf("Not enough nodes match write concern mode %q", mode))
	}
	return status.Errorf(errcode.UnsatisfiableWriteConcern, "Not enough data-bearing nodes")
}
