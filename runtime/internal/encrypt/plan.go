package encrypt

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
)

// Plan says how to encrypt one value. NewPlan checks that its parts fit together.
type Plan struct {
	Key       payload.Ref
	algorithm algorithm
	QueryType queryType
	Cm        int64 // the contention factor
	Min, Max  bson.RawValue
	Range     *options.Range
	Text      *options.String
}

type algorithm uint8

const (
	deterministic algorithm = iota + 1
	random
	unindexed
	indexed
	ranges
	texts
)

type queryType uint8

const (
	queryNone queryType = iota
	queryEquality
	queryRange
	queryPrefix
	querySuffix
	querySubstring
)

var errRangeQuery = errors.New("encrypt: Encrypt may not be used for range queries, use EncryptExpression")

func (a algorithm) String() string {
	return [...]string{"", options.AlgorithmDeterministic, options.AlgorithmRandom, options.AlgorithmUnindexed,
		"indexed", "range indexed", "string"}[a]
}

// parseAlgorithm ignores case, as other drivers do.
func parseAlgorithm(name string) (algorithm, error) {
	for a, known := range map[algorithm]string{
		deterministic: options.AlgorithmDeterministic, random: options.AlgorithmRandom, unindexed: options.AlgorithmUnindexed,
		indexed: options.AlgorithmIndexed, ranges: options.AlgorithmRange, texts: options.AlgorithmString,
	} {
		if strings.EqualFold(name, known) {
			return a, nil
		}
	}
	for _, old := range []struct{ name, now string }{{"rangePreview", options.QueryTypeRange}, {"textPreview", "string"}} {
		if strings.EqualFold(name, old.name) {
			return 0, fmt.Errorf("encrypt: algorithm '%s' is deprecated, please use '%s'", old.name, old.now)
		}
	}
	return 0, fmt.Errorf("encrypt: unsupported algorithm string %q: it is one of the constants AlgorithmDeterministic, AlgorithmRandom, "+
		"AlgorithmUnindexed, AlgorithmIndexed, AlgorithmRange and AlgorithmString", name)
}

func parseQueryType(name string) (queryType, error) {
	switch strings.ToLower(name) {
	case "":
		return queryNone, nil
	case options.QueryTypeEquality:
		return queryEquality, nil
	case options.QueryTypeRange:
		return queryRange, nil
	case options.QueryTypePrefix, strings.ToLower(options.QueryTypePrefixPreview):
		return queryPrefix, nil
	case options.QueryTypeSuffix, strings.ToLower(options.QueryTypeSuffixPreview):
		return querySuffix, nil
	case options.QueryTypeSubstring, strings.ToLower(options.QueryTypeSubstringPreview):
		return querySubstring, nil
	case "rangepreview":
		return 0, errors.New("encrypt: query type 'rangePreview' is deprecated, please use 'range'")
	}
	return 0, fmt.Errorf("encrypt: unsupported query type %q: it is one of the constants QueryTypeEquality, QueryTypeRange, "+
		"QueryTypePrefix, QueryTypeSuffix and QueryTypeSubstring, and of the last three's previews", name)
}

// NewPlan checks the options of encrypting a value. min and max are the bounds in the range options, in BSON.
func NewPlan(o *options.Encrypt, min, max bson.RawValue) (*Plan, error) {
	p := &Plan{Min: min, Max: max, Range: o.RangeOptions, Text: o.StringOptions}
	switch {
	case o.KeyID == nil && o.KeyAltName == nil:
		return nil, errors.New("encrypt: either key id or key alt name required: set KeyID or KeyAltName")
	case o.KeyID != nil && o.KeyAltName != nil:
		return nil, errors.New("encrypt: cannot have both key id and key alt name")
	case o.KeyID != nil:
		p.Key.ID = *o.KeyID
	case *o.KeyAltName == "":
		return nil, errors.New("encrypt: the key alt name is empty")
	default:
		p.Key.Name = *o.KeyAltName
	}
	if o.Algorithm == "" {
		return nil, errors.New("encrypt: algorithm or index type required: " +
			"set Algorithm to one of the constants of options that begin with it")
	}
	var err error
	if p.algorithm, err = parseAlgorithm(o.Algorithm); err != nil {
		return nil, err
	}
	if o.QueryType != nil {
		if p.QueryType, err = parseQueryType(*o.QueryType); err != nil {
			return nil, err
		}
	}
	if o.ContentionFactor != nil {
		p.Cm = *o.ContentionFactor
	}
	return p, errors.Join(p.checkCombination(o), p.checkQueryType(), p.checkText())
}

// checkCombination refuses options that do not belong to the algorithm, and requires those that it needs.
func (p *Plan) checkCombination(o *options.Encrypt) error {
	queryable := p.algorithm >= unindexed
	for _, option := range []struct {
		name    string
		set     bool
		allowed bool
		needed  bool
	}{
		{"contention factor", o.ContentionFactor != nil, p.algorithm >= indexed, p.algorithm >= indexed},
		{"query type", o.QueryType != nil, p.algorithm >= indexed, false},
		{"range opts", o.RangeOptions != nil, p.algorithm == ranges, p.algorithm == ranges},
		{"string opts", o.StringOptions != nil, p.algorithm == texts, p.algorithm == texts},
	} {
		switch {
		case option.set && !option.allowed && queryable:
			return fmt.Errorf("encrypt: cannot set %s with the algorithm %s", option.name, p.algorithm)
		case option.set && !option.allowed:
			return fmt.Errorf("encrypt: cannot set both algorithm and %s", option.name)
		case !option.set && option.needed:
			return fmt.Errorf("encrypt: %s is required for %s algorithm", option.name, p.algorithm)
		}
	}
	switch {
	case p.Cm < 0:
		return errors.New("encrypt: contention must be non-negative")
	case p.Cm == math.MaxInt64:
		return errors.New("encrypt: contention must be < INT64_MAX")
	case o.RangeOptions != nil && o.RangeOptions.Sparsity != nil && *o.RangeOptions.Sparsity < 1:
		return errors.New("encrypt: sparsity must be 1 or larger")
	}
	return nil
}

func (p *Plan) checkQueryType() error {
	fits := map[algorithm][]queryType{
		indexed: {queryEquality}, ranges: {queryRange}, texts: {queryPrefix, querySuffix, querySubstring},
	}[p.algorithm]
	for _, q := range fits {
		if p.QueryType == q {
			return nil
		}
	}
	if p.QueryType == queryNone {
		return nil
	}
	return fmt.Errorf("encrypt: query_type must match index_type (%s)", p.algorithm)
}

// checkText checks the options of texts.
func (p *Plan) checkText() error {
	if p.algorithm != texts || p.Text == nil {
		return nil
	}
	s := p.Text
	switch {
	case s.Substring == nil && s.Prefix == nil && s.Suffix == nil:
		return errors.New("encrypt: one of 'prefix', 'suffix', or 'substring' is required")
	case s.Substring != nil && (s.Prefix != nil || s.Suffix != nil):
		return errors.New("encrypt: cannot specify 'substring' with 'prefix' or 'suffix'")
	case p.QueryType == queryPrefix && s.Prefix == nil, p.QueryType == querySuffix && s.Suffix == nil,
		p.QueryType == querySubstring && s.Substring == nil:
		return errors.New("encrypt: the string opts lack the options of the query type")
	}
	if s.Substring != nil {
		if s.Substring.StrMaxLength <= 0 {
			return errors.New("encrypt: 'strMaxLength' must be set for substring and greater than zero")
		}
		return checkLengths(s.Substring.StrMinQueryLength, s.Substring.StrMaxQueryLength)
	}
	if s.Prefix != nil {
		if err := checkLengths(s.Prefix.StrMinQueryLength, s.Prefix.StrMaxQueryLength); err != nil {
			return err
		}
	}
	if s.Suffix != nil {
		return checkLengths(s.Suffix.StrMinQueryLength, s.Suffix.StrMaxQueryLength)
	}
	return nil
}

func checkLengths(least, most int32) error {
	switch {
	case least <= 0:
		return errors.New("encrypt: 'strMinQueryLength' must be greater than zero")
	case most <= 0:
		return errors.New("encrypt: 'strMaxQueryLength' must be greater than zero")
	case most < least:
		return errors.New("encrypt: 'strMaxQueryLength' cannot be less than 'strMinQueryLength'")
	}
	return nil
}
