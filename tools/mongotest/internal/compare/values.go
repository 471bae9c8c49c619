package compare

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
)

// Values orders two values; c may be nil.
func Values(a, b bson.RawValue, c *collate.Collator) int {
	class, other := ClassOf(a.Type), ClassOf(b.Type)
	if class != other {
		return cmp.Compare(class, other)
	}
	switch class {
	case ClassNumber:
		return number.Compare(a, b)
	case ClassString:
		return c.Compare(text(a), text(b))
	case ClassDocument:
		return Documents(bson.Raw(a.Value), bson.Raw(b.Value), c)
	case ClassArray:
		return compareArrays(bson.Raw(a.Value), bson.Raw(b.Value), c)
	case ClassDateTime:
		m, _ := a.DateTimeOK()
		n, _ := b.DateTimeOK()
		return cmp.Compare(m, n)
	case ClassTimestamp:
		return cmp.Compare(word(a), word(b))
	case ClassBinary:
		return compareBinaries(a, b)
	case ClassObjectID, ClassBoolean:
		return bytes.Compare(a.Value, b.Value)
	case ClassRegex, ClassDBPointer, ClassJavaScript:
		return bytes.Compare(AppendKey(nil, a, nil), AppendKey(nil, b, nil))
	case ClassCodeWithScope:
		return compareScoped(a, b)
	}
	return 0
}

// Equal reports whether two values have the same place in the order.
func Equal(a, b bson.RawValue, c *collate.Collator) bool {
	return Values(a, b, c) == 0
}

func text(v bson.RawValue) string {
	if s, ok := v.StringOK(); ok {
		return s
	}
	s, _ := v.SymbolOK()
	return string(s)
}

func word(v bson.RawValue) uint64 {
	if len(v.Value) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(v.Value)
}

func compareBinaries(a, b bson.RawValue) int {
	s, x, _ := a.BinaryOK()
	t, y, _ := b.BinaryOK()
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(s, t), bytes.Compare(x, y))
}

func compareScoped(a, b bson.RawValue) int {
	s, x, _ := a.CodeWithScopeOK()
	t, y, _ := b.CodeWithScopeOK()
	return cmp.Or(strings.Compare(string(s), string(t)), Documents(x, y, nil))
}

// Documents compares two documents field by field: class, then name, then value. The shorter one sorts first.
func Documents(a, b bson.Raw, c *collate.Collator) int {
	if c == nil && bytes.Equal(a, b) {
		return 0
	}
	return compareElements(a, b, c, true)
}

func compareArrays(a, b bson.Raw, c *collate.Collator) int {
	if c == nil && bytes.Equal(a, b) {
		return 0
	}
	return compareElements(a, b, c, false)
}

func compareElements(a, b bson.Raw, c *collate.Collator, named bool) int {
	var buffer [16]bson.RawElement
	others := buffer[:0]
	for key, v := range b.All() {
		others = append(others, bson.RawElement{Key: key, Value: v})
	}
	i := 0
	for key, v := range a.All() {
		if i == len(others) {
			return 1
		}
		other := others[i]
		i++
		if d := cmp.Compare(ClassOf(v.Type), ClassOf(other.Value.Type)); d != 0 {
			return d
		}
		if named && key != other.Key {
			return strings.Compare(key, other.Key)
		}
		if d := Values(v, other.Value, c); d != 0 {
			return d
		}
	}
	if i < len(others) {
		return -1
	}
	return 0
}

// Comparable reports whether a range operator may compare two values. It compares only within one class.
func Comparable(a, b bson.RawValue) bool { return ClassOf(a.Type) == ClassOf(b.Type) }
