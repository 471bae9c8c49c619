package mongo

import (
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// Majority is the write concern that waits for a majority of the replica set's members.
func Majority() *options.WriteConcern { return &options.WriteConcern{W: "majority"} }

// W is the write concern that waits for n members. W(0) asks for no acknowledgement.
func W(n int) *options.WriteConcern { return &options.WriteConcern{W: n} }

// Journaled is the write concern that waits until the primary has written to its journal.
func Journaled() *options.WriteConcern { return &options.WriteConcern{Journal: new(true)} }

// ReadLocal is the read concern that reads the newest data of the server, which may be rolled back later.
func ReadLocal() *options.ReadConcern { return &options.ReadConcern{Level: options.ReadConcernLocal} }

// ReadAvailable is ReadLocal, except that on a sharded cluster it may return orphaned documents.
func ReadAvailable() *options.ReadConcern {
	return &options.ReadConcern{Level: options.ReadConcernAvailable}
}

// ReadMajority is the read concern that reads data that a majority of the members has acknowledged.
func ReadMajority() *options.ReadConcern {
	return &options.ReadConcern{Level: options.ReadConcernMajority}
}

// ReadLinearizable is the read concern that reads every write that a majority acknowledged before the read began.
func ReadLinearizable() *options.ReadConcern {
	return &options.ReadConcern{Level: options.ReadConcernLinearizable}
}

// ReadSnapshot is the read concern that reads from one point in time.
func ReadSnapshot() *options.ReadConcern {
	return &options.ReadConcern{Level: options.ReadConcernSnapshot}
}

// ReadPreferenceOption narrows a read preference. MaxStaleness and Tags make one.
type ReadPreferenceOption func(*options.ReadPreference)

// MaxStaleness leaves out secondaries that lag behind by more than d, which must be at least 90 seconds.
func MaxStaleness(d time.Duration) ReadPreferenceOption {
	return func(rp *options.ReadPreference) { rp.MaxStaleness = &d }
}

// Tags selects members that have all of the given tags, which are alternating names and values. With several Tags
// options, the first one that matches a member applies.
func Tags(namesAndValues ...string) ReadPreferenceOption {
	set := options.TagSet{}
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		set = append(set, options.Tag{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return func(rp *options.ReadPreference) { rp.TagSets = append(rp.TagSets, set) }
}

// Primary reads from the primary.
func Primary() *options.ReadPreference { return readPreference(options.Primary, nil) }

// PrimaryPreferred reads from the primary, and from a secondary while there is none.
func PrimaryPreferred(opts ...ReadPreferenceOption) *options.ReadPreference {
	return readPreference(options.PrimaryPreferred, opts)
}

// Secondary reads from a secondary.
func Secondary(opts ...ReadPreferenceOption) *options.ReadPreference {
	return readPreference(options.Secondary, opts)
}

// SecondaryPreferred reads from a secondary, and from the primary while there is none.
func SecondaryPreferred(opts ...ReadPreferenceOption) *options.ReadPreference {
	return readPreference(options.SecondaryPreferred, opts)
}

// Nearest reads from any member within the latency window.
func Nearest(opts ...ReadPreferenceOption) *options.ReadPreference {
	return readPreference(options.Nearest, opts)
}

func readPreference(mode options.ReadPreferenceMode, opts []ReadPreferenceOption) *options.ReadPreference {
	rp := &options.ReadPreference{Mode: mode}
	for _, o := range opts {
		o(rp)
	}
	return rp
}
