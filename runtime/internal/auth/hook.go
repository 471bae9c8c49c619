package auth

import (
	"context"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/callback"
)

// mechanismName is what errors call the mechanism of the user.
const mechanismName = "Mechanism"

// startHook begins a conversation of the user's mechanism. A caller waits for its start and its steps no longer than
// ctx allows.
func startHook(
	ctx context.Context, hook options.Mechanism, credential *options.Credential, address string,
) (options.Conversation, error) {
	conversation, err := call(ctx, mechanismName, func(ctx context.Context) (options.Conversation, error) {
		return hook.Start(ctx, credential, address)
	})
	if err != nil {
		return nil, err
	}
	if conversation == nil {
		return nil, callback.NothingError(mechanismName, "a conversation")
	}
	return hookConversation{conversation}, nil
}

type hookConversation struct{ options.Conversation }

func (c hookConversation) Next(ctx context.Context, challenge []byte) ([]byte, bool, error) {
	type step struct {
		payload []byte
		done    bool
	}
	got, err := call(ctx, mechanismName, func(ctx context.Context) (s step, err error) {
		s.payload, s.done, err = c.Conversation.Next(ctx, challenge)
		return s, err
	})
	return got.payload, got.done, err
}
