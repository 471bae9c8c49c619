package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Encryption is what the emitter of package encryption sees.
type Encryption struct {
	Payloads  []load.EncryptionPayload
	Tokens    []EncryptionToken
	Documents []load.EncryptionDocument
	Numbers   []load.EncryptionNumber
	Operators []load.EncryptionOperator

	CaseFolding, DiacriticFolding []FoldingPair
}

// EncryptionLayouts are the layouts of stored values. Package sealed knows each of them.
var EncryptionLayouts = []string{"plain", "block", "counted", "text"}

// EncryptionToken is a derivation. From is empty for a derivation from a data key. Number counts only when Kind is
// empty.
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
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "where", r.Where, payloadPlaces)
		if opened := r.Where == "stored" && r.Decrypt; opened {
			checkOneOf(t, r.At, "layout", r.Layout, EncryptionLayouts)
		} else if r.Layout != "" {
			t.Problemf(r.At, "%s has a layout, but is not a stored value that a driver decrypts", r.Name)
		}
		if r.Byte != i {
			t.Problemf(r.At, "byte %d is not the next one, %d", r.Byte, i)
		}
		out.Payloads = append(out.Payloads, r)
	}
	known := map[string]bool{}
	for _, r := range t.EncryptionTokens().Rows {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
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
			checkOneOf(t, r.At, "message", r.Message, tokenMessages)
			token.Kind = r.Message
		}
		out.Tokens = append(out.Tokens, token)
	}
	out.Documents = encryptionDocuments(t, names)
	folding := t.EncryptionFolding()
	out.CaseFolding, out.DiacriticFolding = foldingPairs(t, folding.Case), foldingPairs(t, folding.Diacritics)
	out.Numbers = t.EncryptionAlgorithms().Rows
	for _, r := range out.Numbers {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
	}
	out.Operators = t.EncryptionAlgorithms().Operators
	texts := newUnique[string](t)
	for _, r := range out.Operators {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		texts.add(r.Text, r.Name, r.At, "%s is two operators", r.Text)
	}
	return out
}

var payloadFieldTypes = []string{"token", "bytes", "uuid", "int32", "int64", "bool", "string", "value"}

// encryptionDocuments checks that the documents inside encrypted values refer only to earlier rows and name nothing
// twice.
func encryptionDocuments(t *load.Tables, names goNames) []load.EncryptionDocument {
	kinds := map[string]bool{}
	for _, r := range t.EncryptionPayloads().Rows {
		kinds[r.Name] = true
	}
	types := slices.Clone(payloadFieldTypes)
	rows := t.EncryptionFields().Rows
	for _, r := range rows {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		if r.Payload != "" && !kinds[r.Payload] {
			t.Problemf(r.At, "payload is %q, which no row of payloads.yaml names", r.Payload)
		}
		fields, keys := newGoNames(t), newUnique[string](t)
		for _, f := range r.Fields {
			fields.add(f.Name, f.At)
			keys.add(f.Key, f.Key, f.At, "key %s is given twice", f.Key)
			checkSentence(t, f.At, f.Doc)
			checkOneOf(t, f.At, "type", strings.TrimPrefix(f.Type, "[]"), types)
		}
		types = append(types, r.Name)
	}
	return rows
}
