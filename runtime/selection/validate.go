//lint:file-ignore SA1019 hedge is deprecated, but still parsed, validated and sent

package selection

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// These errors report read preferences that contradict themselves.
var (
	errTagsWithPrimary      = errors.New("selection: read preference primary cannot have tag sets")
	errStalenessWithPrimary = errors.New("selection: read preference primary cannot have maxStalenessSeconds")
	errHedgeWithPrimary     = errors.New("selection: read preference primary cannot have hedge")
)

// ValidateReadPreference reports what is wrong with a read preference on its own. nil is valid.
//
// Server Selection, "Components of a read preference".
func ValidateReadPreference(rp *options.ReadPreference) error {
	if rp == nil {
		return nil
	}
	if rp.Mode != 0 && selecttable.Steps(rp.Mode) == nil {
		return fmt.Errorf("selection: %v is not a read preference mode", rp.Mode)
	}
	if rp.Mode != 0 && rp.Mode != options.Primary {
		return nil
	}
	nonEmpty := func(set options.TagSet) bool { return len(set) > 0 }
	switch {
	case slices.ContainsFunc(rp.TagSets, nonEmpty):
		return errTagsWithPrimary
	case rp.MaxStaleness != nil && *rp.MaxStaleness > 0:
		return errStalenessWithPrimary
	case rp.Hedge != nil:
		return errHedgeWithPrimary
	}
	return nil
}

// Validate reports why no server of the topology can ever be selected: the servers are too old or too new for the
// driver, or the read preference is not valid for this kind of topology.
func (s *Selector) Validate(t *description.Topology) error {
	if !t.Compatible && t.CompatibilityError != "" {
		return errors.New("selection: " + t.CompatibilityError)
	}
	if s.Write || s.ReadPreference == nil {
		return nil
	}
	if err := ValidateReadPreference(s.ReadPreference); err != nil {
		return err
	}
	if limit := s.ReadPreference.MaxStaleness; limit != nil && *limit >= 0 { // a negative value means no maximum
		return validateMaxStaleness(t, *limit, s.HeartbeatFrequency)
	}
	return nil
}

// validateMaxStaleness applies the rules that depend on the topology.
//
// Server Selection, "maxStalenessSeconds"; Max Staleness, "Smallest allowed value for maxStalenessSeconds".
func validateMaxStaleness(t *description.Topology, limit, heartbeat time.Duration) error {
	if t.Type != description.ReplicaSetWithPrimary && t.Type != description.ReplicaSetNoPrimary {
		return nil
	}
	if limit < selecttable.SmallestMaxStaleness {
		return fmt.Errorf("selection: maxStalenessSeconds must be at least %v, not %v", selecttable.SmallestMaxStaleness, limit)
	}
	if least := heartbeat + selecttable.IdleWritePeriod; limit < least {
		return fmt.Errorf("selection: maxStalenessSeconds must be at least heartbeatFrequencyMS + %v = %v, not %v",
			selecttable.IdleWritePeriod, least, limit)
	}
	return nil
}
