package auth

import "github.com/specdrivers/onion/bson"

// saslReply is the answer to SASLStart and SASLContinue.
type saslReply struct {
	// The number of the conversation, for SASLContinue.
	ConversationID int32
	// The message of the server. It refers to the reply's bytes.
	Payload []byte
	// Done is set when the server expects no further message.
	Done bool
}

// parseReply reads an answer. An absent field is zero.
func parseReply(reply bson.Raw) saslReply {
	var out saslReply
	if id, ok := reply.Lookup("conversationId").AsInt64OK(); ok {
		out.ConversationID = int32(id)
	}
	out.Done, _ = reply.Lookup("done").AsBoolOK()
	if _, payload, ok := reply.Lookup("payload").BinaryOK(); ok {
		out.Payload = payload
	}
	return out
}
