package collate

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/collate"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Collator compares strings. Several goroutines may use it. nil is the binary order.
type Collator struct {
	spec bson.Raw
	pool sync.Pool
}

// state is a collator and its buffer for one user at a time. The library's collators are not safe for concurrent use.
type state struct {
	collator *collate.Collator
	letters  *collate.Collator // the order without case, if case has its own level; or nil
	first    casing
	spaces   bool // ignore white space
	buffer   collate.Buffer
}

// New reads a collation document. An empty document and the locale "simple" give nil.
func New(spec bson.Raw) (*Collator, error) {
	if len(spec) <= 5 {
		return nil, nil
	}
	full, err := read(spec)
	if err != nil {
		return nil, err
	}
	locale, _ := full.Lookup("locale").StringOK()
	if locale == "simple" {
		return nil, nil
	}
	if err := check(full); err != nil {
		return nil, err
	}
	tag, err := tagOf(locale)
	if err != nil {
		return nil, status.Errorf(errcode.BadValue, "Field 'locale' is invalid in: %s", status.Text(spec))
	}
	options, err := optionsOf(full, tag)
	if err != nil {
		return nil, err
	}
	c := &Collator{spec: full}
	first, spaces := casingOf(full), ignoresOnlySpaces(full)
	c.pool.New = func() any {
		s := &state{collator: collate.New(tag, options...), first: first, spaces: spaces}
		if first != uncased {
			s.letters = collate.New(tag, append(slices.Clone(options), collate.IgnoreCase)...)
		}
		return s
	}
	return c, nil
}

// Spec returns the complete collation document, as a server stores it; nil for the binary order.
func (c *Collator) Spec() bson.Raw {
	if c == nil {
		return nil
	}
	return c.spec
}

// Compare orders two strings.
func (c *Collator) Compare(a, b string) int {
	if c == nil {
		return strings.Compare(a, b)
	}
	return bytes.Compare(c.AppendKey(nil, a), c.AppendKey(nil, b))
}

// AppendKey appends bytes that sort in the same order as the strings.
func (c *Collator) AppendKey(dst []byte, s string) []byte {
	if c == nil {
		return append(dst, s...)
	}
	st := c.pool.Get().(*state)
	defer c.pool.Put(st)
	return st.append(dst, s)
}

// Same reports whether two collators define the same order.
func Same(a, b *Collator) bool {
	if a == nil || b == nil {
		return a == b
	}
	for _, p := range properties {
		if p.name != "version" && !a.spec.Lookup(p.name).Equal(b.spec.Lookup(p.name)) {
			return false
		}
	}
	return true
}
