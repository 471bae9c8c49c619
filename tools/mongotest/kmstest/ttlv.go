package kmstest

import (
	"encoding/binary"
	"errors"

	"github.com/specdrivers/onion/generated/core/kmip"
)

// item is a value of KMIP: tag, type, length and value. KMIP Specification 1.2, "TTLV Encoding".
type item struct {
	tag   uint32
	kind  byte
	value []byte
	items []item // of a structure
}

var errTTLV = errors.New("the message is no TTLV")

// parse reads one item and returns what follows it.
func parse(data []byte) (i item, rest []byte, err error) {
	if len(data) < 8 {
		return i, nil, errTTLV
	}
	i.tag, i.kind = uint32(data[0])<<16|uint32(data[1])<<8|uint32(data[2]), data[3]
	n := uint64(binary.BigEndian.Uint32(data[4:]))
	data = data[8:]
	padded := (n + 7) / 8 * 8
	if padded > uint64(len(data)) {
		return i, nil, errTTLV
	}
	i.value, rest = data[:n], data[padded:]
	for inner := i.value; i.kind == kmip.TypeStructure && len(inner) > 0; {
		var child item
		if child, inner, err = parse(inner); err != nil {
			return i, nil, err
		}
		i.items = append(i.items, child)
	}
	return i, rest, nil
}

// find returns the first nested item with the given path of tags. Its tag is zero if there is none.
func (i item) find(tags ...uint32) item {
	for _, tag := range tags {
		next := item{}
		for _, child := range i.items {
			if child.tag == tag {
				next = child
				break
			}
		}
		i = next
	}
	return i
}

func (i item) number() uint32 {
	if len(i.value) != 4 {
		return 0
	}
	return binary.BigEndian.Uint32(i.value)
}

// bytes encodes an item.
func (i item) bytes() []byte {
	value := i.value
	for _, child := range i.items {
		value = append(value, child.bytes()...)
	}
	out := []byte{byte(i.tag >> 16), byte(i.tag >> 8), byte(i.tag), i.kind}
	out = binary.BigEndian.AppendUint32(out, uint32(len(value)))
	out = append(out, value...)
	return append(out, make([]byte, (8-len(value)%8)%8)...)
}

func structure(tag uint32, items ...item) item {
	return item{tag: tag, kind: kmip.TypeStructure, items: items}
}

func integer(tag uint32, kind byte, v uint32) item {
	return item{tag: tag, kind: kind, value: binary.BigEndian.AppendUint32(nil, v)}
}

func enumeration(tag, v uint32) item { return integer(tag, kmip.TypeEnumeration, v) }

func text(tag uint32, v string) item { return item{tag: tag, kind: kmip.TypeText, value: []byte(v)} }

func octets(tag uint32, v []byte) item { return item{tag: tag, kind: kmip.TypeBytes, value: v} }
