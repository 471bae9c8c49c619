package server

import (
	"maps"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
)

// describeReceived returns a request as a test sees it, without credentials.
func (r *request) describeReceived() Command {
	body := r.Body
	if logmsg.Sensitive(r.Name, true) && (logmsg.Sensitive(r.Name, false) || r.Has("speculativeAuthenticate")) {
		body = dropSecrets(body)
	}
	return Command{
		Node: r.node.Index, Name: r.Name, DB: r.DB, Body: body, Sequences: maps.Clone(r.Sequences),
		ConnectionID: r.conn.id, AppName: r.conn.application(),
	}
}

// dropSecrets leaves out the fields that hold credentials.
func dropSecrets(body bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, value := range body.All() {
		switch key {
		case "payload", "pwd", "key", "nonce":
		case "speculativeAuthenticate":
			if inner, ok := value.DocumentOK(); ok {
				dst = bson.AppendDocumentElement(dst, key, dropSecrets(inner))
			}
		default:
			dst = bson.AppendRawValueElement(dst, key, value)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}
