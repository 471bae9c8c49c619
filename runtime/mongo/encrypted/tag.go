package encrypted

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/generated/options"
)

// read reads a tag. bsonType is the BSON type of the field, or empty if the Go type does not determine it.
func (f *Field) read(tag, bsonType string) error {
	f.Type = bsonType
	parts := strings.Split(tag, ";")
	for _, part := range parts { // the type first, because it decides how bounds are read
		for option := range strings.SplitSeq(part, ",") {
			if name, value, _ := strings.Cut(option, "="); strings.TrimSpace(name) == "type" {
				f.Type = value
			}
		}
	}
	for _, part := range parts {
		if err := f.readPart(part); err != nil {
			return f.errorf("has the tag encrypt:%q: %v", tag, err)
		}
	}
	if len(parts) > 1 && len(f.Queries) < len(parts) {
		return f.errorf("has the tag encrypt:%q: only query types can be combined", tag)
	}
	return nil
}

func (f *Field) readPart(part string) error {
	kind, rest, _ := strings.Cut(part, ",")
	kind = strings.TrimSpace(kind)
	query := &Query{Type: kind}
	switch kind {
	case "deterministic":
		f.Algorithm, query = options.AlgorithmDeterministic, nil
	case "random":
		f.Algorithm, query = options.AlgorithmRandom, nil
	case "unindexed":
		f.Algorithm, query = options.AlgorithmUnindexed, nil
	case options.QueryTypeEquality, options.QueryTypeRange:
	default:
		if !isText(kind) {
			return fmt.Errorf("%q is not one of deterministic, random, unindexed, equality, range, prefix, suffix and substring", kind)
		}
	}
	for option := range strings.SplitSeq(rest, ",") {
		if option = strings.TrimSpace(option); option == "" {
			continue
		}
		name, value, ok := strings.Cut(option, "=")
		if !ok || value == "" {
			return fmt.Errorf("the option %q needs a value: write %s=<value>", option, name)
		}
		if err := f.readOption(query, name, value); err != nil {
			return fmt.Errorf("the option %q: %w", option, err)
		}
	}
	if query != nil {
		f.Queries = append(f.Queries, *query)
	}
	return nil
}

// readOption reads one option of the field or of its query type. q is nil if the field has none.
func (f *Field) readOption(q *Query, name, value string) error {
	switch {
	case name == "type":
		return nil // read has taken it already
	case name == "key":
		f.Key = value
		return nil
	case q == nil:
		return errors.New("the algorithm takes only the options key and type")
	}
	switch name {
	case "contention":
		return parseNumber(&q.Contention, value, 64)
	case "sparsity":
		return parseNumber(&q.Sparsity, value, 64)
	case "precision":
		return parseNumber(&q.Precision, value, 32)
	case "trimFactor":
		return parseNumber(&q.TrimFactor, value, 32)
	case "min", "max":
		bound, err := parseBound(f.Type, value)
		if name == "min" {
			q.Min = bound
		} else {
			q.Max = bound
		}
		return err
	}
	return q.readTextOption(name, value)
}

func (q *Query) readTextOption(name, value string) error {
	var length *int32
	var sensitive **bool
	switch name {
	case "strMinQueryLength":
		length = &q.StrMinQueryLength
	case "strMaxQueryLength":
		length = &q.StrMaxQueryLength
	case "strMaxLength":
		length = &q.StrMaxLength
	case "caseSensitive":
		sensitive = &q.CaseSensitive
	case "diacriticSensitive":
		sensitive = &q.DiacriticSensitive
	default:
		return errors.New("there is no such option")
	}
	if !isText(q.Type) {
		return errors.New("it belongs to prefix, suffix and substring")
	}
	if sensitive != nil {
		b, err := strconv.ParseBool(value)
		*sensitive = &b
		return err
	}
	var n *int32
	err := parseNumber(&n, value, 32)
	*length = *n
	return err
}

// parseNumber reads a number that is not negative.
func parseNumber[N int32 | int64](to **N, value string, bits int) error {
	n, err := strconv.ParseUint(value, 10, bits-1)
	v := N(n)
	*to = &v
	return err
}
