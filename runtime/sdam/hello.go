package sdam

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"

	sdamtable "github.com/specdrivers/onion/generated/core/sdam"
)

// ServerFromHello describes a server by its reply to hello or legacy hello. at is when the reply came. A reply without
// "ok: 1" gives an Unknown server whose Err is a *fault.CommandError. The caller sets RTT and MinRTT of a known server.
//
// SDAM, "Parsing a hello or legacy hello response".
func ServerFromHello(address string, reply bson.Raw, at time.Time) description.Server {
	s := description.Server{Address: address, LastUpdateTime: at}
	var h sdamtable.Hello
	for key, v := range reply.All() {
		readFact(&h, key, v)
		readDescription(&s, key, v)
	}
	if v := reply.Lookup("isWritablePrimary"); !v.IsZero() {
		h.IsWritablePrimary = truth(v) // ismaster counts only without it
	}
	s.SetName = h.SetName
	if !h.OK {
		return description.Server{Address: address, LastUpdateTime: at, Err: fault.NewCommandError("hello", address, reply)}
	}
	s.Type = sdamtable.Classify(&h)
	return s
}

// readFact reads what the type of the server is classified by.
func readFact(h *sdamtable.Hello, key string, v bson.RawValue) {
	switch key {
	case "ok":
		h.OK = truth(v)
	case "isreplicaset":
		h.IsReplicaSet = truth(v)
	case "msg":
		h.Msg = text(v)
	case "setName":
		h.SetName = text(v)
	case "hidden":
		h.Hidden = truth(v)
	case "ismaster":
		h.IsWritablePrimary = truth(v)
	case "secondary":
		h.Secondary = truth(v)
	case "arbiterOnly":
		h.ArbiterOnly = truth(v)
	}
}

// readDescription reads the fields that a description shows as the server gave them.
func readDescription(s *description.Server, key string, v bson.RawValue) {
	switch key {
	case "me":
		s.Me = strings.ToLower(text(v))
	case "primary":
		s.Primary = strings.ToLower(text(v))
	case "hosts":
		s.Hosts = addresses(v)
	case "passives":
		s.Passives = addresses(v)
	case "arbiters":
		s.Arbiters = addresses(v)
	case "tags":
		s.Tags = tags(v)
	case "setVersion":
		s.SetVersion = integer(v)
	case "electionId":
		if id, ok := v.ObjectIDOK(); ok {
			s.ElectionID = &id
		}
	case "topologyVersion":
		s.TopologyVersion = parseTopologyVersion(v)
	case "logicalSessionTimeoutMinutes":
		s.LogicalSessionTimeoutMinutes = integer(v)
	case "minWireVersion":
		s.MinWireVersion = int32Of(v)
	case "maxWireVersion":
		s.MaxWireVersion = int32Of(v)
	case "maxBsonObjectSize":
		s.MaxBSONObjectSize = int32Of(v)
	case "maxMessageSizeBytes":
		s.MaxMessageSizeBytes = int32Of(v)
	case "maxWriteBatchSize":
		s.MaxWriteBatchSize = int32Of(v)
	case "helloOk":
		s.HelloOK = truth(v)
	case "iscryptd":
		s.IsCryptd = truth(v)
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
		case "lastWriteDate":
			if at, ok := v.TimeOK(); ok {
				s.LastWriteDate = at
			}
		case "opTime":
			if opTime, ok := v.DocumentOK(); ok {
				s.OpTime = opTime
			}
		}
	}
}

// topologyVersion reads the topologyVersion of a reply; nil when it has none.
func topologyVersion(reply bson.Raw) *description.TopologyVersion {
	return parseTopologyVersion(reply.Lookup("topologyVersion"))
}

func parseTopologyVersion(v bson.RawValue) *description.TopologyVersion {
	doc, ok := v.DocumentOK()
	if !ok {
		return nil
	}
	processID, ok := doc.Lookup("processId").ObjectIDOK()
	if !ok {
		return nil
	}
	counter := integer(doc.Lookup("counter"))
	if counter == nil {
		return nil
	}
	return &description.TopologyVersion{ProcessID: processID, Counter: *counter}
}

// addresses reads a list of addresses.
//
// SDAM, "Hostnames are normalized to lower-case".
func addresses(v bson.RawValue) []string {
	out := texts(v)
	for i := range out {
		out[i] = strings.ToLower(out[i])
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
	return strings.Clone(s) // a description must not keep the reply alive, nor change with it
}

func truth(v bson.RawValue) bool {
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
