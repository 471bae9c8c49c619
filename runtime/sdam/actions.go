package sdam

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// perform carries out one action of the TopologyType table for the server that was described. If an action removes the
// server, later actions see the topology without it.
func (u *update) perform(action sdamtable.Action, s *description.Server) {
	switch action {
	case sdamtable.SetSharded:
		u.next.Type = description.Sharded
	case sdamtable.SetReplicaSetNoPrimary:
		u.next.Type = description.ReplicaSetNoPrimary
	case sdamtable.SetReplicaSetWithPrimary:
		u.next.Type = description.ReplicaSetWithPrimary
	case sdamtable.UpdateUnknownWithStandalone:
		u.updateUnknownWithStandalone(s)
	case sdamtable.UpdateRSWithoutPrimary:
		u.updateRSWithoutPrimary(s)
	case sdamtable.UpdateRSWithPrimaryFromMember:
		u.updateRSWithPrimaryFromMember(s)
	case sdamtable.UpdateRSFromPrimary:
		u.updateRSFromPrimary(s)
	case sdamtable.CheckIfHasPrimary:
		u.checkIfHasPrimary()
	case sdamtable.Remove:
		u.remove(s.Address)
	}
}

// SDAM, "updateUnknownWithStandalone".
func (u *update) updateUnknownWithStandalone(s *description.Server) {
	if len(u.model.Seeds) == 1 {
		u.next.Type = description.Single
		return
	}
	u.remove(s.Address)
}

// SDAM, "updateRSWithoutPrimary".
func (u *update) updateRSWithoutPrimary(s *description.Server) {
	if !u.adoptSetName(s) {
		u.remove(s.Address)
		return
	}
	u.addHosts(s)
	u.notePossiblePrimary(s)
	if isMisnamed(s) {
		u.remove(s.Address)
	}
}

// SDAM, "updateRSWithPrimaryFromMember".
func (u *update) updateRSWithPrimaryFromMember(s *description.Server) {
	if u.next.SetName != s.SetName || isMisnamed(s) {
		u.remove(s.Address)
		u.checkIfHasPrimary()
		return
	}
	if !u.hasPrimary() { // this member was the primary
		u.next.Type = description.ReplicaSetNoPrimary
		u.notePossiblePrimary(s)
	}
}

// SDAM, "updateRSFromPrimary".
func (u *update) updateRSFromPrimary(s *description.Server) {
	if !u.adoptSetName(s) {
		u.remove(s.Address)
		u.checkIfHasPrimary()
		return
	}
	if !u.acceptElection(s) {
		u.markStale(s)
		u.checkIfHasPrimary()
		return
	}
	u.invalidateOtherPrimaries(s)
	u.addHosts(s)
	u.removeStrangers(s)
	u.checkIfHasPrimary()
}

// SDAM, "checkIfHasPrimary".
func (u *update) checkIfHasPrimary() {
	if u.hasPrimary() {
		u.next.Type = description.ReplicaSetWithPrimary
	} else {
		u.next.Type = description.ReplicaSetNoPrimary
	}
}

// adoptSetName adopts the set name of the first member. It reports false for a member of another set.
func (u *update) adoptSetName(s *description.Server) bool {
	if u.next.SetName == "" {
		u.next.SetName = s.SetName
	}
	return u.next.SetName == s.SetName
}

// isMisnamed reports whether a member knows itself by another address. A member that does not report its address is
// trusted.
func isMisnamed(s *description.Server) bool { return s.Me != "" && s.Me != s.Address }

// addHosts adds the members that this member lists.
func (u *update) addHosts(s *description.Server) {
	u.add(slices.Concat(s.Hosts, s.Passives, s.Arbiters)...)
}

// removeStrangers removes the servers that the primary does not list.
func (u *update) removeStrangers(s *description.Server) {
	members := slices.Concat(s.Hosts, s.Passives, s.Arbiters)
	slices.Sort(members)
	u.next.Servers = slices.DeleteFunc(u.next.Servers, func(other description.Server) bool {
		_, found := slices.BinarySearch(members, other.Address)
		return !found
	})
}

// notePossiblePrimary marks the server that a member reports as the primary.
func (u *update) notePossiblePrimary(s *description.Server) {
	if s.Primary == "" {
		return
	}
	if p := u.server(s.Primary); p != nil && p.Type == description.ServerUnknown {
		p.Type = description.PossiblePrimary
	}
}

// acceptElection compares the primary's electionId and setVersion with the largest values reported so far. Unless the
// primary is stale, its values become the largest ones.
//
// SDAM, "updateRSFromPrimary" and "Using electionId and setVersion to detect stale primaries".
func (u *update) acceptElection(s *description.Server) bool {
	if wire.ElectionIDFirst.In(s.MaxWireVersion) {
		if compareTuples(s.ElectionID, s.SetVersion, u.next.MaxElectionID, u.next.MaxSetVersion) < 0 {
			return false
		}
		u.next.MaxElectionID, u.next.MaxSetVersion = s.ElectionID, s.SetVersion
		return true
	}
	return u.acceptElectionBySetVersion(s)
}

// acceptElectionBySetVersion is the comparison for servers before 6.0. It compares setVersion first, and compares
// nothing unless the primary reports both values.
func (u *update) acceptElectionBySetVersion(s *description.Server) bool {
	if s.SetVersion != nil && s.ElectionID != nil {
		if u.next.MaxSetVersion != nil && u.next.MaxElectionID != nil {
			bySetVersion := cmp.Compare(*s.SetVersion, *u.next.MaxSetVersion)
			if bySetVersion < 0 || bySetVersion == 0 && compareElectionIDs(s.ElectionID, u.next.MaxElectionID) < 0 {
				return false
			}
		}
		u.next.MaxElectionID = s.ElectionID
	}
	if s.SetVersion != nil && (u.next.MaxSetVersion == nil || *s.SetVersion > *u.next.MaxSetVersion) {
		u.next.MaxSetVersion = s.SetVersion
	}
	return true
}

// compareTuples orders (electionId, setVersion) tuples. null is less than any value.
func compareTuples(electionID *bson.ObjectID, setVersion *int64, maxID *bson.ObjectID, maxVersion *int64) int {
	if c := compareElectionIDs(electionID, maxID); c != 0 {
		return c
	}
	switch {
	case setVersion == nil && maxVersion == nil:
		return 0
	case setVersion == nil:
		return -1
	case maxVersion == nil:
		return 1
	}
	return cmp.Compare(*setVersion, *maxVersion)
}

func compareElectionIDs(a, b *bson.ObjectID) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return bytes.Compare(a[:], b[:])
}

// markStale makes a primary Unknown if another primary has a later election.
func (u *update) markStale(s *description.Server) {
	message := sdamtable.StalePrimary(formatTuple(s.ElectionID, s.SetVersion), formatTuple(u.next.MaxElectionID, u.next.MaxSetVersion))
	*u.server(s.Address) = description.Server{
		Address:        s.Address,
		Err:            errors.New("sdam: " + message),
		LastUpdateTime: s.LastUpdateTime,
	}
}

func formatTuple(electionID *bson.ObjectID, setVersion *int64) string {
	id, version := "null", "null"
	if electionID != nil {
		id = electionID.Hex()
	}
	if setVersion != nil {
		version = fmt.Sprint(*setVersion)
	}
	return "(electionId " + id + ", setVersion " + version + ")"
}

// invalidateOtherPrimaries makes any earlier primary Unknown and asks for a check of it soon. It does not clear the
// pool.
func (u *update) invalidateOtherPrimaries(s *description.Server) {
	for i := range u.next.Servers {
		other := &u.next.Servers[i]
		if other.Address == s.Address || other.Type != description.RSPrimary {
			continue
		}
		*other = description.Server{
			Address:        other.Address,
			Err:            errors.New("sdam: " + sdamtable.NewerPrimary()),
			LastUpdateTime: other.LastUpdateTime,
		}
		u.fx.Check = append(u.fx.Check, other.Address)
	}
}
