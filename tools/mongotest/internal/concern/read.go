package concern

import (
	"fmt"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// The read concern levels besides Majority.
const (
	Local        = "local"
	Available    = "available"
	Linearizable = "linearizable"
	Snapshot     = "snapshot"
)

var levels = []string{Local, Available, Majority, Linearizable, Snapshot}

// Read is a read concern: which state a read may see.
type Read struct {
	Level string
	Named bool            // the command sets the level
	After store.Timestamp // the read sees at least the writes up to then
	At    store.Timestamp // the read sees the writes up to then, and no others
	Sent  bson.Raw        // as the client wrote it; nil when there is none
}

// ReadRead reads the readConcern field of a command. Without one the level is local.
func ReadRead(v bson.RawValue, version int32) (Read, error) {
	rc := Read{Level: Local}
	if v.IsZero() {
		return rc, nil
	}
	d, ok := v.DocumentOK()
	if !ok {
		return rc, status.Errorf(errcode.FailedToParse, "readConcern field should be an object")
	}
	rc.Sent = d
	return rc, rc.read(version)
}

func (rc *Read) read(version int32) error {
	var hasAfter, hasAt bool
	for key, v := range rc.Sent.All() {
		switch key {
		case "level":
			if err := rc.readLevel(v, version); err != nil {
				return err
			}
		case "afterClusterTime", "atClusterTime":
			t, i, ok := v.TimestampOK()
			if !ok {
				return status.Errorf(errcode.TypeMismatch, `"%s" had the wrong type. Expected timestamp, found %s`, key, v.Type)
			}
			if key == "atClusterTime" {
				hasAt, rc.At = true, store.MakeTimestamp(t, i)
			} else {
				hasAfter, rc.After = true, store.MakeTimestamp(t, i)
			}
		case "afterOpTime", "allowTransactionTableSnapshot", "provenance":
		default:
			if version >= wire.Server70 {
				return status.Errorf(errcode.Location40415, "BSON field 'readConcern.%s' is an unknown field.", key)
			}
			return status.Errorf(errcode.InvalidOptions, "Unrecognized option in readConcern: %s", key)
		}
	}
	return rc.checkTimes(hasAfter, hasAt)
}

func (rc *Read) readLevel(v bson.RawValue, version int32) error {
	var ok bool
	rc.Named = true
	if rc.Level, ok = v.StringOK(); !ok {
		return status.Errorf(errcode.TypeMismatch, `"level" had the wrong type. Expected string, found %s`, v.Type)
	}
	if slices.Contains(levels, rc.Level) {
		return nil
	}
	if version >= wire.Server70 {
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'readConcern.level' is not a valid value.", rc.Level)
	}
	return status.Errorf(errcode.FailedToParse,
		"readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'")
}

func (rc *Read) checkTimes(hasAfter, hasAt bool) error {
	refuse := func(text string) error { return status.Errorf(errcode.InvalidOptions, "%s", text) }
	switch {
	case hasAfter && hasAt:
		return refuse("Specifying a timestamp for readConcern snapshot in a causally consistent session is not allowed. " +
			"See https://docs.mongodb.com/manual/core/read-isolation-consistency-recency/#causal-consistency")
	case hasAfter && rc.Level != Majority && rc.Level != Local && rc.Level != Snapshot:
		return refuse("afterClusterTime field can be set only if level is equal to majority, local, or snapshot")
	case hasAt && rc.Level != Snapshot:
		return refuse("atClusterTime field can be set only if level is equal to snapshot")
	case hasAt && rc.At == 0:
		return refuse("atClusterTime cannot be a null timestamp")
	case hasAfter && rc.After == 0:
		return refuse("afterClusterTime cannot be a null timestamp")
	}
	return nil
}

// Time returns the read concern's time and the name of its field. It is 0 when there is none.
func (rc *Read) Time() (store.Timestamp, string) {
	if rc.At > 0 {
		return rc.At, "atClusterTime"
	}
	return rc.After, "afterClusterTime"
}

// UnsupportedError returns the error for a level that the command does not take.
func (rc *Read) UnsupportedError(command, why string, version int32) error {
	if version < wire.Server44 {
		return status.Errorf(errcode.InvalidOptions, "Command does not support read concern { readConcern: %s }", status.Text(rc.Sent))
	}
	withSource := bson.AppendStringElement(slices.Clone(rc.Sent[:len(rc.Sent)-1]), "provenance", ClientSupplied)
	return status.Errorf(errcode.InvalidOptions, "Command %s does not support { readConcern: %s } :: caused by :: %s",
		command, status.Text(bson.Raw(bson.AppendDocumentEnd(withSource, 0))), why)
}

// CheckStandalone refuses levels and times that need replication.
func (rc *Read) CheckStandalone() error {
	at, name := rc.Time()
	switch {
	case rc.Level == Linearizable:
		return status.Errorf(errcode.NotAReplicaSet, "node needs to be a replica set member to use read concern")
	case rc.Level == Snapshot:
		return status.Errorf(errcode.NotAReplicaSet, "node needs to be a replica set member to use readConcern: snapshot")
	case at > 0:
		return status.Errorf(errcode.IllegalOperation, "Cannot specify %s readConcern without replication enabled", name)
	}
	return nil
}

// TooLateError returns the error for a time that the deployment has not reached.
func (rc *Read) TooLateError(current bson.Timestamp) error {
	at, name := rc.Time()
	return status.Errorf(errcode.InvalidOptions,
		"readConcern %s value must not be greater than the current clusterTime. Requested clusterTime: %s; current clusterTime: %s",
		name, timeText(at.T(), at.I()), timeText(current.T, current.I))
}

func timeText(t, i uint32) string { return fmt.Sprintf("{ ts: Timestamp(%d, %d) }", t, i) }
