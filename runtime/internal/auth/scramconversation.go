package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/generated/core/authtable"
)

// scramConversation is the client's side of one exchange: client-first, client-final, and the check of the server's
// proof. RFC 5802, "SCRAM Authentication Exchange".
type scramConversation struct {
	*scram.ClientConversation
	keys  *scramKeys
	nonce string // the client's part
	step  int
}

func (c *scramConversation) Next(ctx context.Context, challenge []byte) ([]byte, bool, error) {
	out, err := c.next(ctx, string(challenge))
	if err != nil {
		return nil, false, fmt.Errorf("SCRAM: %w", err)
	}
	return []byte(out), c.Done(), nil
}

func (c *scramConversation) next(ctx context.Context, challenge string) (string, error) {
	c.step++
	if c.step == 2 {
		if err := c.prepare(ctx, challenge); err != nil {
			return "", err
		}
	}
	out, err := c.Step(challenge)
	switch c.step {
	case 1:
		_, c.nonce, _ = strings.Cut(out, ",r=")
	case 3:
		if !c.Valid() {
			return "", unprovedError(challenge)
		}
	}
	return out, err
}

// prepare reads the server's first message before the library does, and has its keys derived.
func (c *scramConversation) prepare(ctx context.Context, challenge string) error {
	nonce, factors, err := parseServerFirst(challenge)
	if err != nil {
		return err
	}
	switch {
	case !strings.HasPrefix(nonce, c.nonce) || nonce == c.nonce:
		return errors.New("the server's nonce does not extend the client's")
	case factors.Iters < authtable.MinIterations:
		return fmt.Errorf("the server asks for %d iterations, fewer than %d", factors.Iters, authtable.MinIterations)
	case factors.Iters > authtable.MaxIterations:
		return fmt.Errorf("the server asks for %d iterations, more than %d", factors.Iters, authtable.MaxIterations)
	}
	// An unusable password fails here and not earlier, because from the reply to the first message a client that
	// negotiates learns whether the user has this mechanism at all.
	if c.keys.unusable != nil {
		return fmt.Errorf("deriving the key: %w", c.keys.unusable)
	}
	if err := c.keys.derive(ctx, factors); err != nil {
		return fmt.Errorf("deriving the key: %w", err)
	}
	return nil
}

// parseServerFirst reads "r=nonce,s=salt,i=iterations"; extensions may follow.
func parseServerFirst(s string) (nonce string, f scram.KeyFactors, err error) {
	fields := strings.Split(s, ",")
	if len(fields) < 3 {
		return "", f, errors.New("the server's first message lacks a nonce, a salt or an iteration count")
	}
	nonce, isNonce := strings.CutPrefix(fields[0], "r=") // "m=" announces an extension that must be understood
	salt, isSalt := strings.CutPrefix(fields[1], "s=")
	count, isCount := strings.CutPrefix(fields[2], "i=")
	if !isNonce || !isSalt || !isCount {
		return "", f, errors.New("the server's first message is not a nonce, a salt and an iteration count")
	}
	raw, err := base64.StdEncoding.DecodeString(salt)
	if err != nil || len(raw) == 0 {
		return "", f, errors.New("the server's salt is not base64")
	}
	f.Salt = string(raw)
	if f.Iters, err = strconv.Atoi(count); err != nil {
		return "", f, errors.New("the server's iteration count is not a number")
	}
	return nonce, f, nil
}

// unprovedError returns the error for a last message that does not prove that the server knows the password. It quotes
// little of the message; the library's own error would quote all of it.
func unprovedError(challenge string) error {
	field, _, _ := strings.Cut(challenge, ",")
	if reason, refused := strings.CutPrefix(field, "e="); refused {
		return fmt.Errorf("the server refuses: %.100q", reason)
	}
	return errors.New("the server did not prove that it knows the password")
}
