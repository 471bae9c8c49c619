package mtest

import (
	"slices"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// script holds the replies that a mock sends, in order.
type script struct {
	mu      sync.Mutex
	replies []bson.D
}

func (s *script) add(replies ...bson.D) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

func (s *script) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = nil
}

// takesReply reports whether a command takes a reply of the script: all do but those that a client sends by itself.
func takesReply(c mongotest.Command) bool {
	return !slices.Contains([]string{"hello", "isMaster", "ismaster", "endSessions"}, c.Name)
}

// answer sends the next reply, or an error that no client retries. Scripts were written for a driver that kills the
// cursor of a findOne when the reply names one: they hold a reply for that command, which Onion does not send.
func (s *script) answer(c mongotest.Command) mongotest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	reply := CreateCommandErrorResponse(CommandError{Code: 1, Name: "InternalError", Message: "no responses remaining"})
	if len(s.replies) > 0 {
		reply, s.replies = s.replies[0], s.replies[1:]
	}
	raw, err := bson.Marshal(reply)
	if err != nil {
		raw, _ = bson.Marshal(CreateCommandErrorResponse(CommandError{
			Code: 1, Name: "InternalError", Message: "the scripted reply is not BSON: " + err.Error(),
		}))
	}
	if single, _ := c.Body.Lookup("singleBatch").BooleanOK(); single && c.Name == "find" && len(s.replies) > 0 {
		if id, _ := bson.Raw(raw).Lookup("cursor", "id").Int64OK(); id != 0 {
			s.replies = s.replies[1:]
		}
	}
	return mongotest.Answer{Reply: raw}
}
