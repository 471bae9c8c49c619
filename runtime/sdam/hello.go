package sdam

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// ServerFromHello describes a server from its reply to hello or legacy hello. at is when the reply arrived. A reply
// without "ok: 1" gives an Unknown server whose Err is a fault.CommandError. The caller sets RTT and MinRTT if the
// server is known.
//
// SDAM, "Parsing a hello or legacy hello response".
func ServerFromHello(address string, reply bson.Raw, at time.Time) description.Server {
	s := description.Server{Address: address, LastUpdateTime: at}
	for key, v := range reply.All() {
		readDescription(&s, key, v)
	}
	h := sdamtable.ReadHello(reply)
	s.SetName = h.SetName
	if named := len(s.Hosts) + len(s.Passives) + len(s.Arbiters); named > wire.MaxHelloHosts {
		err := fmt.Errorf("sdam: the reply of %s names %d hosts, more than %d", address, named, wire.MaxHelloHosts)
		return description.Server{Address: address, LastUpdateTime: at, Err: err}
	}
	if host, ok := firstNoAddress(s.Hosts, s.Passives, s.Arbiters); ok {
		err := fmt.Errorf("sdam: the reply of %s names a host that is not an address: %.100q", address, host)
		return description.Server{Address: address, LastUpdateTime: at, Err: err}
	}
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 { // h.OK holds for NaN too
		return description.Server{Address: address, LastUpdateTime: at, Err: fault.NewCommandError(wire.Hello, address, reply)}
	}
	s.Type = sdamtable.Classify(&h)
	return s
}

// maxAddress is the length of the longest address: a host name has at most 253 characters, and a port has at most five
// digits.
const maxAddress = 300

// firstNoAddress returns the first host that cannot be an address. The driver neither dials nor prints long text from a
// server.
func firstNoAddress(lists ...[]string) (string, bool) {
	for _, list := range lists {
		for _, host := range list {
			if host == "" || len(host) > maxAddress || strings.ContainsFunc(host, func(r rune) bool {
				return r == utf8.RuneError || unicode.IsControl(r) || unicode.IsSpace(r)
			}) {
				return host, true
			}
		}
	}
	return "", false
}

// readDescription reads the fields that a description keeps exactly as the server sent them.
func readDescription(s *description.Server, key string, v bson.RawValue) {
	switch key {
	case sdamtable.FieldMe:
		s.Me = normalize(text(v))
	case sdamtable.FieldPrimary:
		s.Primary = normalize(text(v))
	case sdamtable.FieldHosts:
		s.Hosts = addresses(v)
	case sdamtable.FieldPassives:
		s.Passives = addresses(v)
	case sdamtable.FieldArbiters:
		s.Arbiters = addresses(v)
	case sdamtable.FieldTags:
		s.Tags = tags(v)
	case sdamtable.FieldSetVersion:
		s.SetVersion = integer(v)
	case sdamtable.FieldElectionID:
		if id, ok := v.ObjectIDOK(); ok {
			s.ElectionID = &id
		}
	case wire.FieldTopologyVersion:
		s.TopologyVersion = parseTopologyVersion(v)
	case wire.FieldLogicalSessionTimeoutMinutes:
		s.LogicalSessionTimeoutMinutes = integer(v)
	case sdamtable.FieldMinWireVersion:
		s.MinWireVersion = int32Of(v)
	case wire.FieldMaxWireVersion:
		s.MaxWireVersion = int32Of(v)
	case wire.FieldMaxBSONObjectSize:
		s.MaxBSONObjectSize = int32Of(v)
	case wire.FieldMaxMessageSizeBytes:
		s.MaxMessageSizeBytes = int32Of(v)
	case wire.FieldMaxWriteBatchSize:
		s.MaxWriteBatchSize = int32Of(v)
	case wire.FieldHelloOK:
		s.HelloOK = isTrue(v)
	case sdamtable.FieldIsCryptd:
		s.IsCryptd = isTrue(v)
	case "lastWrite":
		readLastWrite(s, v)
	}
}

func readLastWrite(s *description.Server, v bson.RawValue) {
	doc, ok := v.DocumentOK()
	if !ok {
		return
	}
	for key, v := range doc.All() {
		switch key {
		case sdamtable.FieldLastWriteDate:
			if at, ok := v.TimeOK(); ok {
				s.LastWriteDate = at
			}
		case sdamtable.FieldOpTime:
			if opTime, ok := v.DocumentOK(); ok {
				s.OpTime = opTime
			}
		}
	}
}

// topologyVersion reads the topologyVersion of a reply. It returns nil when the reply has none.
func topologyVersion(reply bson.Raw) *description.TopologyVersion {
	return parseTopologyVersion(reply.Lookup(wire.FieldTopologyVersion))
}

func parseTopologyVersion(v bson.RawValue) *description.TopologyVersion {
	doc, ok := v.DocumentOK()
	if !ok {
		return nil
	}
	processID, ok := doc.Lookup(sdamtable.FieldProcessID).ObjectIDOK()
	if !ok {
		return nil
	}
	counter := integer(doc.Lookup(sdamtable.FieldCounter))
	if counter == nil {
		return nil
	}
	return &description.TopologyVersion{ProcessID: processID, Counter: *counter}
}

// addresses reads a list of addresses.
func addresses(v bson.RawValue) []string {
	out := texts(v)
	for i := range out {
		out[i] = normalize(out[i])
	}
	return out
}

func texts(v bson.RawValue) []string {
	array, ok := v.ArrayOK()
	if !ok {
		return nil
	}
	var out []string
	for _, v := range array.All() {
		if s, ok := v.StringOK(); ok {
			out = append(out, strings.Clone(s))
		}
	}
	return out
}

func tags(v bson.RawValue) map[string]string {
	doc, ok := v.DocumentOK()
	if !ok {
		return nil
	}
	out := make(map[string]string)
	for key, v := range doc.All() {
		out[strings.Clone(key)] = text(v)
	}
	return out
}

func text(v bson.RawValue) string {
	s, _ := v.StringOK()
	return strings.Clone(s) // a description must not keep the reply alive or change with it
}

func isTrue(v bson.RawValue) bool {
	b, _ := v.AsBoolOK()
	return b
}

func integer(v bson.RawValue) *int64 {
	n, ok := v.AsInt64OK()
	if !ok {
		return nil
	}
	return &n
}

func int32Of(v bson.RawValue) int32 {
	n, ok := v.AsInt64OK()
	if !ok || n != int64(int32(n)) {
		return 0
	}
	return int32(n)
}
