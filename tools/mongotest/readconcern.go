package mongotest

import (
	"context"
	"fmt"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// readLevels are the read concern levels that a command may name.
var readLevels = []string{"local", "available", majority, "linearizable", "snapshot"}

// readConcern says which state a read may see.
type readConcern struct {
	level string
	named bool            // the command names the level
	after store.Timestamp // the read sees at least the writes until then
	at    store.Timestamp // the read sees the writes until then, and no others
}

// checkReadConcern reads the read concern of a command and refuses one that the command, the version or the topology
// does not allow.
func (r *request) checkReadConcern() error {
	rc := &r.concerns.read
	rc.level = "local"
	v := r.field("readConcern")
	if v.IsZero() {
		return nil
	}
	d, ok := v.DocumentOK()
	if !ok {
		return status.Errorf(errcode.FailedToParse, "readConcern field should be an object")
	}
	if err := rc.parse(r.d, d); err != nil {
		return err
	}
	if r.session != nil && r.session.inTransaction {
		return r.checkTransactionReadConcern(d)
	}
	if err := r.supports(d); err != nil {
		return err
	}
	return r.checkReplicated()
}

func (rc *readConcern) parse(d *Deployment, fields bson.Raw) error {
	var hasAfter, hasAt bool
	for key, v := range fields.All() {
		switch key {
		case "level":
			var ok bool
			rc.named = true
			if rc.level, ok = v.StringOK(); !ok {
				return status.Errorf(errcode.TypeMismatch, `"level" had the wrong type. Expected string, found %s`, v.Type)
			}
			if !slices.Contains(readLevels, rc.level) {
				if d.wireAtLeast("7.0") {
					return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'readConcern.level' is not a valid value.", rc.level)
				}
				return status.Errorf(errcode.FailedToParse, "readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'")
			}
		case "afterClusterTime", "atClusterTime":
			t, i, ok := v.TimestampOK()
			if !ok {
				return status.Errorf(errcode.TypeMismatch, `"%s" had the wrong type. Expected timestamp, found %s`, key, v.Type)
			}
			if key == "atClusterTime" {
				hasAt, rc.at = true, store.MakeTimestamp(t, i)
			} else {
				hasAfter, rc.after = true, store.MakeTimestamp(t, i)
			}
		case "afterOpTime", "allowTransactionTableSnapshot", "provenance":
		default:
			if d.wireAtLeast("7.0") {
				return status.Errorf(errcode.Location40415, "BSON field 'readConcern.%s' is an unknown field.", key)
			}
			return status.Errorf(errcode.InvalidOptions, "Unrecognized option in readConcern: %s", key)
		}
	}
	switch {
	case hasAfter && hasAt:
		return status.Errorf(errcode.InvalidOptions, "Specifying a timestamp for readConcern snapshot in a causally consistent session is not allowed. See https://docs.mongodb.com/manual/core/read-isolation-consistency-recency/#causal-consistency")
	case hasAfter && rc.level != majority && rc.level != "local" && rc.level != "snapshot":
		return status.Errorf(errcode.InvalidOptions, "afterClusterTime field can be set only if level is equal to majority, local, or snapshot")
	case hasAt && rc.level != "snapshot":
		return status.Errorf(errcode.InvalidOptions, "atClusterTime field can be set only if level is equal to snapshot")
	case hasAt && rc.at == 0:
		return status.Errorf(errcode.InvalidOptions, "atClusterTime cannot be a null timestamp")
	case hasAfter && rc.after == 0:
		return status.Errorf(errcode.InvalidOptions, "afterClusterTime cannot be a null timestamp")
	}
	return nil
}

// supports checks the level against the command: reads take every level, of which snapshot came outside transactions with
// version 5.0 and not for count; all other commands take local alone.
func (r *request) supports(sent bson.Raw) error {
	why := ""
	switch level := r.concerns.read.level; r.name {
	case "find", "aggregate", "count", "distinct":
		if level == "snapshot" && !r.d.wireAtLeast("5.0") {
			return status.Errorf(errcode.InvalidOptions, "readConcern level snapshot is only valid in multi-statement transactions")
		}
		if level == "snapshot" && r.name == "count" {
			why = "read concern snapshot not supported"
		}
	default:
		if level != "local" {
			why = "read concern not supported"
		}
	}
	if why == "" {
		return nil
	}
	if !r.d.wireAtLeast("4.4") {
		return status.Errorf(errcode.InvalidOptions, "Command does not support read concern { readConcern: %s }", status.Text(sent))
	}
	withSource := bson.AppendStringElement(slices.Clone(sent[:len(sent)-1]), "provenance", "clientSupplied")
	return status.Errorf(errcode.InvalidOptions, "Command %s does not support { readConcern: %s } :: caused by :: %s",
		r.name, status.Text(bson.Raw(bson.AppendDocumentEnd(withSource, 0))), why)
}

// checkReplicated refuses what a standalone server cannot do, and times that nobody has seen.
func (r *request) checkReplicated() error {
	rc, name := &r.concerns.read, "afterClusterTime"
	if rc.at > 0 {
		name = "atClusterTime"
	}
	at := max(rc.after, rc.at)
	if r.d.config.kind == standalone {
		switch {
		case rc.level == "linearizable":
			return status.Errorf(errcode.NotAReplicaSet, "node needs to be a replica set member to use read concern")
		case rc.level == "snapshot":
			return status.Errorf(errcode.NotAReplicaSet, "node needs to be a replica set member to use readConcern: snapshot")
		case at > 0:
			return status.Errorf(errcode.IllegalOperation, "Cannot specify %s readConcern without replication enabled", name)
		}
		return nil
	}
	if known := r.d.data.gossiped(); at > store.MakeTimestamp(known.T, known.I) {
		return status.Errorf(errcode.InvalidOptions,
			"readConcern %s value must not be greater than the current clusterTime. Requested clusterTime: %s; current clusterTime: %s",
			name, clockText(at), clockText(store.MakeTimestamp(known.T, known.I)))
	}
	if at > r.d.data.store.Latest().Time() {
		// A time that was only heard of: an entry without effect makes the members reach it.
		r.d.data.store.Noop("noop write for " + name + " read concern")
	}
	return nil
}

func clockText(ts store.Timestamp) string {
	return fmt.Sprintf("{ ts: Timestamp(%d, %d) }", ts.T(), ts.I())
}

// readState is the state that a read sees, nil for the latest.
func (r *request) readState(ctx context.Context) (*store.Snapshot, error) {
	rc := &r.concerns.read
	if rc.level == "linearizable" {
		return nil, r.linearizable(ctx)
	}
	var snap *store.Snapshot
	err := await(ctx, func() (bool, error) {
		snap = r.visible(rc.level)
		newest := r.d.data.store.Latest()
		if snap != nil {
			newest = snap
		}
		return newest.Time() >= max(rc.after, rc.at), nil
	})
	if err == nil && rc.at > 0 {
		return r.d.data.store.At(rc.at)
	}
	return snap, err
}

// linearizable waits until a majority has everything that the primary has, so that no other primary can have more.
func (r *request) linearizable(ctx context.Context) error {
	s := r.d.set
	if s == nil {
		return nil
	}
	if role, _ := s.standing(r.node); role != rolePrimary {
		return status.Errorf(errcode.NotWritablePrimary, "cannot satisfy linearizable read concern on non-primary node")
	}
	at := r.d.data.store.Latest().Time()
	return await(ctx, func() (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.holds(r.concerns.office) {
			return false, status.Errorf(errcode.InterruptedDueToReplStateChange, "operation was interrupted")
		}
		if _, most := s.positions(r.node.index); most < at {
			return false, nil
		}
		s.d.data.acknowledge(at)
		return true, nil
	})
}

// visible is the newest state that the node may show at a level, nil for the latest.
func (r *request) visible(level string) *store.Snapshot {
	s, data := r.d.set, r.d.data
	committed := level == majority || level == "snapshot"
	if s == nil {
		if level == "snapshot" {
			return data.store.Latest()
		}
		return nil
	}
	if !committed && r.node.behind.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, most := s.positions(r.node.index)
	if committed {
		own = min(own, most)
	}
	snap := data.at(own)
	if committed {
		data.acknowledge(snap.Time()) // what such a read has seen is not lost
	}
	return snap
}

// view is the newest state that the node has.
func (n *node) view() *store.Snapshot {
	s, data := n.d.set, n.d.data
	if s == nil || n.behind.Load() == 0 {
		return data.store.Latest()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return data.at(s.position(n.index))
}

// committed is the newest state that a majority has, as far as the node knows. What a change stream shows of it is not lost.
func (n *node) committed() *store.Snapshot {
	s, data := n.d.set, n.d.data
	if s == nil {
		return data.store.Latest()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, most := s.positions(n.index)
	snap := data.at(min(own, most))
	data.acknowledge(snap.Time())
	return snap
}

// at is the state at a time, or the oldest one that is kept.
func (d *data) at(ts store.Timestamp) *store.Snapshot {
	snap, err := d.store.At(ts)
	if err != nil {
		return d.store.Oldest()
	}
	return snap
}
