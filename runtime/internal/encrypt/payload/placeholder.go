package payload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// sealer encrypts what one placeholder asks for.
type sealer struct {
	encryption.Placeholder
	index, user *aead.Key
	random      io.Reader
	dst         []byte // where the value is appended

	// The tokens that all others derive from.
	edc, esc, server sealed.Token
	ecoc             sealed.Sealer
	plain            roots // of whole values and of edges
	contention       int64
}

// appendPlaceholder appends a value of Queryable Encryption.
func appendPlaceholder(dst []byte, p encryption.Placeholder, keys Keys, random io.Reader) ([]byte, error) {
	s := &sealer{Placeholder: p, random: random, dst: dst}
	var err error
	if _, s.user, err = keys(Ref{ID: p.UserKeyID}); err != nil {
		return nil, err
	}
	if p.Algorithm == encryption.AlgorithmUnindexed {
		return s.sealUnindexed()
	}
	if _, s.index, err = keys(Ref{ID: p.IndexKeyID}); err != nil {
		return nil, err
	}
	if err := checkContention(p.MaxContention); err != nil {
		return nil, err
	}
	root := s.index.TokenKey()
	level1 := encryption.CollectionsLevel1Token(root)
	s.edc, s.esc, s.ecoc = encryption.EDCToken(level1), encryption.ESCToken(level1), encryption.ECOCToken(level1).Sealer()
	s.server = encryption.ServerTokenDerivationLevel1Token(root)
	s.plain = newRoots(s.edc, s.esc, s.server)
	return s.sealIndexed()
}

// sealIndexed makes a payload that the server indexes or searches.
func (s *sealer) sealIndexed() ([]byte, error) {
	find := s.Intent == encryption.IntentFind
	if !find && s.Intent != encryption.IntentInsert {
		return nil, fmt.Errorf("encrypt: a placeholder has the unknown intent %d", s.Intent)
	}
	if !find {
		var err error
		if s.contention, err = drawContention(s.random, s.MaxContention); err != nil {
			return nil, err
		}
	}
	switch {
	case s.Algorithm == encryption.AlgorithmEquality && find:
		return s.findEquality()
	case s.Algorithm == encryption.AlgorithmEquality:
		return s.insertEquality()
	case s.Algorithm == encryption.AlgorithmRange && find:
		return s.findRange()
	case s.Algorithm == encryption.AlgorithmRange:
		return s.insertRange()
	case s.Algorithm == encryption.AlgorithmText && find:
		return s.findText()
	case s.Algorithm == encryption.AlgorithmText:
		return s.insertText()
	}
	return nil, fmt.Errorf("encrypt: a placeholder has the unknown algorithm %d", s.Algorithm)
}

// sealUnindexed encrypts a value that nothing searches for.
func (s *sealer) sealUnindexed() ([]byte, error) {
	if s.Intent != encryption.IntentInsert {
		return nil, errors.New("encrypt: an unindexed field cannot be searched")
	}
	if err := checkType(analysis.KindUnindexed, s.Value); err != nil {
		return nil, err
	}
	iv, err := s.drawIV()
	if err != nil {
		return nil, err
	}
	start := len(s.dst)
	out := slices.Grow(s.dst, sealed.Header+len(s.Value.Value)+4*aead.IVSize+32) // so that head stays part of out
	out = append(append(append(out, byte(encryption.FLE2UnindexedEncryptedValueV2)), s.UserKeyID[:]...), byte(s.Value.Type))
	head := out[start:len(out):len(out)]
	return aead.SealFLE2(out, s.user, iv, head, s.Value.Value)
}

// drawIV draws a random initialization vector.
func (s *sealer) drawIV() (iv [aead.IVSize]byte, err error) {
	_, err = io.ReadFull(s.random, iv[:])
	return iv, err
}

// sealClientValue makes field v of an insert: the id of the user's key, then the value encrypted with that key.
func (s *sealer) sealClientValue(v bson.RawValue) ([]byte, error) {
	iv, err := s.drawIV()
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, 16+len(v.Value)+4*aead.IVSize+32), s.UserKeyID[:]...)
	return aead.SealFLE2(out, s.user, iv, s.UserKeyID[:], v.Value)
}

// sealCompaction makes field p of an insert: an entry of the compaction collection.
func (s *sealer) sealCompaction(esc sealed.Token, suffix ...byte) ([]byte, error) {
	iv, err := s.drawIV()
	if err != nil {
		return nil, err
	}
	return s.ecoc.Seal(nil, iv, append(esc[:], suffix...)), nil
}

// roots are the tokens from which the tokens of values derive. Equality and ranges share them; each kind of text has its own.
type roots struct{ edc, esc, server sealed.Root }

func newRoots(edc, esc, server sealed.Token) roots {
	return roots{edc.Root(), esc.Root(), server.Root()}
}

// findTokens derives the tokens that find a value under every contention factor.
func (r roots) findTokens(value []byte) encryption.FindTokens {
	return encryption.FindTokens{
		EDC:    encryption.EDCDerivedFromDataToken(r.edc, value),
		ESC:    encryption.ESCDerivedFromDataToken(r.esc, value),
		Server: encryption.ServerDerivedFromDataToken(r.server, value),
	}
}

// deriveSet derives the tokens of a value under the contention factor that was drawn. suffix goes into the compaction collection.
func (s *sealer) deriveSet(r roots, value []byte, suffix ...byte) (encryption.TokenSet, error) {
	t := r.findTokens(value)
	set := encryption.TokenSet{
		EDC:    encryption.EDCDerivedFromDataTokenAndContentionFactor(t.EDC, s.contention),
		ESC:    encryption.ESCDerivedFromDataTokenAndContentionFactor(t.ESC, s.contention),
		Server: t.Server,
	}
	var err error
	set.ECOC, err = s.sealCompaction(set.ESC, suffix...)
	return set, err
}

func checkContention(largest int64) error {
	switch {
	case largest < 0:
		return errors.New("encrypt: contention must be non-negative")
	case largest == math.MaxInt64:
		return errors.New("encrypt: contention must be < INT64_MAX")
	}
	return nil
}

// drawContention draws a contention factor from 0 to the largest, all equally likely.
func drawContention(random io.Reader, largest int64) (int64, error) {
	if largest == 0 {
		return 0, nil
	}
	n := uint64(largest) + 1
	for {
		var b [8]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return 0, err
		}
		if r := binary.LittleEndian.Uint64(b[:]); r >= -n%n {
			return int64(r % n), nil
		}
	}
}
