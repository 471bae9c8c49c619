package auth

import (
	"context"
	"crypto/hmac"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	authtable "github.com/specdrivers/onion/generated/core/auth"
)

// scramConversation is the client's side of one exchange: client-first, client-final, and the check of the server's
// proof. RFC 5802, "SCRAM Authentication Exchange".
type scramConversation struct {
	client    *scramClient
	nonce     string // the client's, then the whole nonce
	step      int
	firstBare string
	signature []byte // what the server must prove itself with
}

func (c *scramConversation) Next(ctx context.Context, challenge []byte) ([]byte, bool, error) {
	c.step++
	var out string
	var err error
	switch c.step {
	case 1:
		out = c.first()
	case 2:
		out, err = c.final(ctx, string(challenge))
	case 3:
		err = c.checkServer(string(challenge))
	default:
		err = errors.New("the conversation is over")
	}
	if err != nil {
		return nil, false, fmt.Errorf("SCRAM: %w", err)
	}
	return []byte(out), c.step == 3, nil
}

var escapeName = strings.NewReplacer("=", "=3D", ",", "=2C")

func (c *scramConversation) first() string {
	c.firstBare = "n=" + escapeName.Replace(c.client.username) + ",r=" + c.nonce
	return authtable.SCRAMGS2Header + c.firstBare
}

func (c *scramConversation) final(ctx context.Context, challenge string) (string, error) {
	nonce, factors, err := parseServerFirst(challenge)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(nonce, c.nonce) || nonce == c.nonce {
		return "", errors.New("the server's nonce does not extend the client's")
	}
	switch {
	case factors.iterations < authtable.MinIterations:
		return "", fmt.Errorf("the server asks for %d iterations, fewer than %d", factors.iterations, authtable.MinIterations)
	case factors.iterations > authtable.MaxIterations:
		return "", fmt.Errorf("the server asks for %d iterations, more than %d", factors.iterations, authtable.MaxIterations)
	}
	key, err := c.client.key(ctx, factors)
	if err != nil {
		return "", fmt.Errorf("deriving the key: %w", err)
	}
	withoutProof := "c=" + base64.StdEncoding.EncodeToString([]byte(authtable.SCRAMGS2Header)) + ",r=" + nonce
	message := c.firstBare + "," + challenge + "," + withoutProof
	proof := sum(c.client.hash, key.stored, message)
	subtle.XORBytes(proof, proof, key.client)
	c.signature = sum(c.client.hash, key.server, message)
	return withoutProof + ",p=" + base64.StdEncoding.EncodeToString(proof), nil
}

// parseServerFirst reads "r=nonce,s=salt,i=iterations"; extensions may follow.
func parseServerFirst(s string) (nonce string, f scramFactors, err error) {
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
	f = scramFactors{salt: string(raw)}
	if f.iterations, err = strconv.Atoi(count); err != nil {
		return "", f, errors.New("the server's iteration count is not a number")
	}
	return nonce, f, nil
}

// checkServer reads "v=signature" or "e=error". The server must know the password too.
func (c *scramConversation) checkServer(s string) error {
	field, _, _ := strings.Cut(s, ",")
	if reason, refused := strings.CutPrefix(field, "e="); refused {
		return fmt.Errorf("the server refuses: %.100q", reason)
	}
	signature, ok := strings.CutPrefix(field, "v=")
	raw, err := base64.StdEncoding.DecodeString(signature)
	if !ok || err != nil || !hmac.Equal(raw, c.signature) {
		return errors.New("the server did not prove that it knows the password")
	}
	return nil
}
