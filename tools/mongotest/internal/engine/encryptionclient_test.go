package engine_test

import (
	"encoding/base64"
	"fmt"

	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// client makes the payloads that a driver would make with one data key. The parts encrypted with the user's key are
// made up, because a server cannot decrypt them.
type client struct{ edc, esc, ecoc, server, level1 sealed.Token }

func newClient() client {
	key := sealed.TokenKey{1, 2, 3}
	top := encryption.CollectionsLevel1Token(key)
	return client{encryption.EDCToken(top), encryption.ESCToken(top), encryption.ECOCToken(top),
		encryption.ServerTokenDerivationLevel1Token(key), encryption.ServerDataEncryptionLevel1Token(key)}
}

func (c client) find(v string) encryption.FindTokens {
	return encryption.FindTokens{EDC: encryption.EDCDerivedFromDataToken(c.edc.Root(), []byte(v)),
		ESC: encryption.ESCDerivedFromDataToken(c.esc.Root(), []byte(v)), Server: encryption.ServerDerivedFromDataToken(c.server.Root(), []byte(v))}
}

func (c client) set(v string, factor int64) encryption.TokenSet {
	t := c.find(v)
	s := encryption.TokenSet{EDC: encryption.EDCDerivedFromDataTokenAndContentionFactor(t.EDC, factor),
		ESC: encryption.ESCDerivedFromDataTokenAndContentionFactor(t.ESC, factor), Server: t.Server}
	s.ECOC = c.ecoc.Seal(nil, [16]byte{9}, s.ESC[:])
	return s
}

func binary(data []byte) string {
	return fmt.Sprintf(`{"$binary": {"base64": "%s", "subType": "06"}}`, base64.StdEncoding.EncodeToString(data))
}

// insert returns a payload of a string; parts are the edges of a range.
func (c client) insert(v string, factor int64, edges ...string) string {
	s := c.set(v, factor)
	p := encryption.InsertUpdate{EDC: s.EDC, ESC: s.ESC, ECOC: s.ECOC, Server: s.Server, Type: 2, Value: []byte("16 bytes of an id" + v),
		ServerEncryption: c.level1, Contention: factor}
	for _, e := range edges {
		p.Edges = append(p.Edges, c.set(e, factor))
	}
	return binary(p.Append(nil))
}

// prefixes returns a payload of a text with its prefixes.
func (c client) prefixes(v string, prefixes ...string) string {
	p := encryption.InsertUpdate{Type: 2, Value: []byte("16 bytes of an id" + v), ServerEncryption: c.level1, ECOC: make([]byte, 51)}
	p.Text = &encryption.TextTokens{Exact: c.set("exact "+v, 0)}
	for _, e := range prefixes {
		p.Text.Prefixes = append(p.Text.Prefixes, c.set("prefix "+e, 0))
	}
	return binary(p.Append(nil))
}

func (c client) equal(v string, contention int64) string {
	t := c.find(v)
	p := encryption.FindEquality{EDC: t.EDC, ESC: t.ESC, Server: t.Server, MaxContention: contention}
	return binary(p.Append(nil))
}

// inRange returns a payload of a range that some edges cover; without edges it is the other end of one.
func (c client) inRange(edges ...string) string {
	p := encryption.FindRange{FirstOperator: 1}
	if len(edges) > 0 {
		p.Tokens = &encryption.RangeTokens{}
		for _, e := range edges {
			p.Tokens.Edges = append(p.Tokens.Edges, c.find(e))
		}
	}
	return binary(p.Append(nil))
}

func (c client) prefix(v string) string {
	p := encryption.FindText{Tokens: encryption.TextFindTokens{Prefix: new(c.find("prefix " + v))}}
	return binary(p.Append(nil))
}
