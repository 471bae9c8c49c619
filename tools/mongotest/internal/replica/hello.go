package replica

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// DescribeHello appends the set's part of a hello reply. primaryField names the field that says whether the
// node is primary: the legacy commands use another name.
func (s *Set) DescribeHello(f *reply.Fields, node int, primaryField string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.role(node)
	if own == Removed {
		f.Bool(primaryField, false).Bool("secondary", false).String("info", "Does not have a valid replica set config")
		f.Bool("isreplicaset", true)
		return
	}
	var hosts, passives, arbiters []string
	for _, m := range s.members {
		address := s.Processes[m.Node].Address()
		switch {
		case m.Hidden:
		case m.Arbiter:
			arbiters = append(arbiters, address)
		case m.Priority == 0:
			passives = append(passives, address)
		default:
			hosts = append(hosts, address)
		}
	}
	f.List("hosts", hosts).List("passives", passives).List("arbiters", arbiters)
	f.String("setName", s.Name).Int32("setVersion", int32(s.setVersion))
	f.Bool(primaryField, own == Primary).Bool("secondary", own == Secondary)
	describeMember(f, s.member(node), own)
	if s.primary >= 0 && s.Processes[node].Up() {
		f.String("primary", s.Processes[s.primary].Address())
	}
	f.String("me", s.Processes[node].Address())
	if own == Primary {
		f.Value("electionId", electionID(s.term))
	}
	f.Doc("lastWrite", s.lastWrite(node, own))
}

func describeMember(f *reply.Fields, m *Member, own Role) {
	if own == Arbiter {
		f.Bool("arbiterOnly", true)
	}
	if m.Hidden {
		f.Bool("hidden", true)
	}
	if m.Priority == 0 && !m.Arbiter {
		f.Bool("passive", true)
	}
	if len(m.Tags) > 0 {
		f.Value("tags", m.Tags)
	}
}

// lastWrite appends the last writes of a member and of a majority. An arbiter has no data.
func (s *Set) lastWrite(node int, own Role) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if own == Arbiter {
		dst = appendOpTime(dst, "opTime", "lastWriteDate", bson.Timestamp{}, -1, 0)
		return bson.AppendDocumentEnd(appendOpTime(dst, "majorityOpTime", "majorityWriteDate", bson.Timestamp{}, -1, 0), start)
	}
	have, majority := s.positions(node)
	skew := time.Duration(s.Processes[node].Skew.Load())
	dst = appendOpTime(dst, "opTime", "lastWriteDate", s.Clock.NotBeforeStart(have), s.term, skew)
	dst = appendOpTime(dst, "majorityOpTime", "majorityWriteDate", s.Clock.NotBeforeStart(min(have, majority)), s.term, skew)
	return bson.AppendDocumentEnd(dst, start)
}

func appendOpTime(dst []byte, name, dateName string, at bson.Timestamp, term int64, skew time.Duration) []byte {
	dst, inner := bson.AppendDocumentElementStart(dst, name)
	dst = bson.AppendTimestampElement(dst, "ts", at.T, at.I)
	dst = bson.AppendInt64Element(dst, "t", term)
	dst = bson.AppendDocumentEnd(dst, inner)
	return bson.AppendDateTimeElement(dst, dateName, time.Unix(int64(at.T), 0).Add(skew).UnixMilli())
}

// electionID returns the ObjectID of a term. It grows with the term, as on a server.
func electionID(term int64) bson.ObjectID {
	var id bson.ObjectID
	copy(id[:], []byte{0x7f, 0xff, 0xff, 0xff})
	for i := range 8 {
		id[4+i] = byte(term >> (8 * (7 - i)))
	}
	return id
}
