package auth

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// maxSteps bounds a conversation that a server never ends.
const maxSteps = 16

// saslMechanism is a mechanism whose messages travel in saslStart and saslContinue.
type saslMechanism struct {
	mech   string
	source string // the database that the commands run against

	// skipEmpty asks the server to omit the empty exchange at the end. Only SCRAM has it.
	skipEmpty bool

	start func(ctx context.Context, address string) (options.Conversation, error)
}

func (m *saslMechanism) name() string { return m.mech }

func (m *saslMechanism) begin(ctx context.Context, address string) (exchange, error) {
	conversation, err := m.start(ctx, address)
	if err != nil {
		return nil, err
	}
	return &saslExchange{mech: m, address: address, conversation: conversation}, nil
}

// saslExchange is a conversation on one connection.
type saslExchange struct {
	mech         *saslMechanism
	address      string
	conversation options.Conversation
	over         bool // the client has nothing left to send or check
	spent        bool // the hello carried the first message
}

func (e *saslExchange) speculate(ctx context.Context) (bson.Raw, error) {
	payload, done, err := e.conversation.Next(ctx, nil)
	if err != nil {
		return nil, err
	}
	e.over, e.spent = done, true
	return e.mech.startCommand(payload, true), nil
}

func (e *saslExchange) finish(ctx context.Context, c *conn.Conn, answered bson.Raw) error {
	if answered == nil {
		if e.spent { // the server has not answered the first message: begin a new conversation
			conversation, err := e.mech.start(ctx, e.address)
			if err != nil {
				return err
			}
			e.conversation = conversation
		}
		payload, done, err := e.conversation.Next(ctx, nil)
		if err != nil {
			return err
		}
		e.over = done
		if answered, err = run(ctx, c, e.mech.source, e.mech.startCommand(payload, false)); err != nil {
			return err
		}
	}
	return e.converse(ctx, c, answered)
}

// converse continues from the server's first answer until both sides are done.
func (e *saslExchange) converse(ctx context.Context, c *conn.Conn, reply bson.Raw) error {
	for range maxSteps {
		answer := parseReply(reply)
		if answer.Done && e.over {
			return nil
		}
		payload := []byte(nil)
		if !e.over {
			var err error
			if payload, e.over, err = e.conversation.Next(ctx, answer.Payload); err != nil {
				return err
			}
		}
		if answer.Done {
			if !e.over {
				return errors.New("the server ended the conversation before it proved itself")
			}
			return nil
		}
		next := authtable.SASLContinue{ConversationID: answer.ConversationID, Payload: payload}
		var err error
		if reply, err = run(ctx, c, e.mech.source, next.Append(nil)); err != nil {
			return err
		}
	}
	return errors.New("the server does not end the conversation")
}

// startCommand is saslStart. Inside a hello it names its database in a field of its own.
func (m *saslMechanism) startCommand(payload []byte, withDB bool) bson.Raw {
	command := authtable.SASLStart{Mechanism: m.mech, Payload: payload, SkipEmptyExchange: m.skipEmpty}
	if withDB {
		command.DB = m.source
	}
	return command.Append(nil)
}
