package payload

import (
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// insertEquality makes a payload of a value that is searched for by equality. The analysis and the server restrict the types of a field;
// explicit encryption, like libmongocrypt's, takes every type that can be encrypted.
func (s *sealer) insertEquality() ([]byte, error) {
	if err := checkType(analysis.KindUnindexed, s.Value); err != nil {
		return nil, err
	}
	set, err := s.deriveSet(s.plain, s.Value.Value)
	if err != nil {
		return nil, err
	}
	p, err := s.newInsert(set)
	if err != nil {
		return nil, err
	}
	return p.Append(s.dst), nil
}

// newInsert fills in what all payloads of inserts have in common. top are the tokens of the whole value.
func (s *sealer) newInsert(top encryption.TokenSet) (*encryption.InsertUpdate, error) {
	client, err := s.sealClientValue(s.Value)
	if err != nil {
		return nil, err
	}
	return &encryption.InsertUpdate{
		EDC: top.EDC, ESC: top.ESC, ECOC: top.ECOC, Server: top.Server,
		IndexKeyID:       s.IndexKeyID,
		Type:             int32(s.Value.Type),
		Value:            client,
		ServerEncryption: encryption.ServerDataEncryptionLevel1Token(s.index.TokenKey()),
		Contention:       s.contention,
	}, nil
}

// findEquality makes a payload that searches for a value.
func (s *sealer) findEquality() ([]byte, error) {
	if err := checkType(analysis.KindUnindexed, s.Value); err != nil {
		return nil, err
	}
	t := s.plain.findTokens(s.Value.Value)
	p := encryption.FindEquality{EDC: t.EDC, ESC: t.ESC, Server: t.Server, MaxContention: s.MaxContention}
	return p.Append(s.dst), nil
}
