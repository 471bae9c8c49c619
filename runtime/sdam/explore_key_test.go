package sdam

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
)

// stateKey identifies a state: five bytes for the topology, nine for each server.
type stateKey [5 + 9*maxServers]byte

// facts holds what a description says, as small numbers.
type facts struct {
	topology [5]byte
	servers  [maxServers]serverFacts
}

// serverFacts are zero for a server that is not in the topology.
type serverFacts struct {
	present     byte
	typ         byte
	setName     byte
	election    byte
	version     byte // topologyVersion, setVersion and wire version
	hosts       byte // a bit per server
	me, primary byte // 1 + the server, 0 = none
	failed      byte
}

func (w *world) factsOf(t *description.Topology) facts {
	f := facts{topology: [5]byte{
		byte(t.Type), setNumber(t.SetName), electionNumber(t.MaxElectionID), setVersionNumber(t.MaxSetVersion), boolByte(t.Compatible),
	}}
	for i := range t.Servers {
		s := &t.Servers[i]
		f.servers[w.number(s.Address)-1] = serverFacts{
			present:  1,
			typ:      byte(s.Type),
			setName:  setNumber(s.SetName),
			election: electionNumber(s.ElectionID),
			version:  counterNumber(s.TopologyVersion) | setVersionNumber(s.SetVersion)<<2 | byte(s.MaxWireVersion)<<4,
			hosts:    w.mask(s.Hosts),
			me:       w.number(s.Me),
			primary:  w.number(s.Primary),
			failed:   boolByte(s.Err != nil),
		}
	}
	return f
}

// keepVisible keeps only the facts of a server that a later step reads: its type, its topologyVersion and its wire
// version. A step reads hosts, me, primary, set name and election count only at the check that reports them.
func (f facts) keepVisible() facts {
	for i := range f.servers {
		s := &f.servers[i]
		*s = serverFacts{present: s.present, typ: s.typ, version: s.version &^ (3 << 2)} // without setVersion
	}
	return f
}

// key writes the facts with the servers renamed: server i becomes renaming[i].
func (f *facts) key(renaming []int) stateKey {
	var key stateKey
	copy(key[:], f.topology[:])
	for i, to := range renaming {
		s := &f.servers[i]
		at := key[5+9*to:]
		at[0], at[1], at[2], at[3], at[4] = s.present, s.typ, s.setName, s.election, s.version
		for host, renamed := range renaming {
			at[5] |= s.hosts >> host & 1 << renamed
		}
		at[6], at[7], at[8] = rename(s.me, renaming), rename(s.primary, renaming), s.failed
	}
	return key
}

func rename(number byte, renaming []int) byte {
	if number == 0 {
		return 0
	}
	return byte(renaming[number-1]) + 1
}

// number is 1 + the position of a server; 0 for no address.
func (w *world) number(address string) byte { return byte(slices.Index(names, address) + 1) }

func (w *world) mask(hosts []string) byte {
	var mask byte
	for _, host := range hosts {
		mask |= 1 << (w.number(host) - 1)
	}
	return mask
}

func setNumber(name string) byte {
	switch name {
	case "":
		return 0
	case "rs":
		return 1
	}
	return 2
}

func electionNumber(id *bson.ObjectID) byte {
	if id == nil {
		return 0
	}
	return id[11]
}

func setVersionNumber(v *int64) byte {
	if v == nil {
		return 0
	}
	return byte(*v)
}

func counterNumber(v *description.TopologyVersion) byte {
	if v == nil {
		return 0
	}
	return byte(v.Counter)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
