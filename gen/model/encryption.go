package model

import (
	"strconv"

	"github.com/specdrivers/onion/gen/load"
)

// Encryption is what the emitter of package encryption sees.
type Encryption struct {
	Payloads []load.EncryptionPayload
	Tokens   []EncryptionToken
}

// EncryptionToken is a derivation. From is empty for one from a data key; Number counts only without Kind.
type EncryptionToken struct {
	Name, From, Doc string
	Kind            string // value, contention, padding or empty
	Number          int
}

var (
	payloadPlaces = []string{"analysis", "sent", "stored", "server", "obsolete"}
	tokenMessages = []string{"value", "contention", "padding"}
)

// NewEncryption resolves and checks the tables of client-side encryption.
func NewEncryption(t *load.Tables) *Encryption {
	out := &Encryption{}
	names := newGoNames(t)
	for i, r := range t.EncryptionPayloads().Rows {
		names.add(r.Name, r.At)
		sentence(t, r.At, r.Doc)
		oneOf(t, r.At, "where", r.Where, payloadPlaces)
		if r.Byte != i {
			t.Problemf(r.At, "byte %d is not the next one, %d", r.Byte, i)
		}
		out.Payloads = append(out.Payloads, r)
	}
	known := map[string]bool{}
	for _, r := range t.EncryptionTokens().Rows {
		names.add(r.Name, r.At)
		sentence(t, r.At, r.Doc)
		token := EncryptionToken{Name: r.Name, From: r.From, Doc: r.Doc}
		if r.From == "key" {
			token.From = ""
		} else if !known[r.From] {
			t.Problemf(r.At, "%s derives from %s, which no row before it names", r.Name, r.From)
		}
		known[r.Name] = true
		if n, err := strconv.Atoi(r.Message); err == nil && n > 0 {
			token.Number = n
		} else {
			oneOf(t, r.At, "message", r.Message, tokenMessages)
			token.Kind = r.Message
		}
		out.Tokens = append(out.Tokens, token)
	}
	return out
}
