package kmstest

import (
	"encoding/binary"
	"errors"
)

// Tags of KMIP. KMIP Specification 1.2, "Tags".
const (
	tagAttribute             = 0x420008
	tagAttributeValue        = 0x42000B
	tagBatchCount            = 0x42000D
	tagBatchItem             = 0x42000F
	tagIV                    = 0x42003D
	tagKeyBlock              = 0x420040
	tagKeyFormatType         = 0x420042
	tagKeyMaterial           = 0x420043
	tagKeyValue              = 0x420045
	tagObjectType            = 0x420057
	tagOperation             = 0x42005C
	tagProtocolVersion       = 0x420069
	tagVersionMajor          = 0x42006A
	tagVersionMinor          = 0x42006B
	tagRequestMessage        = 0x420078
	tagRequestPayload        = 0x420079
	tagResponseHeader        = 0x42007A
	tagResponseMessage       = 0x42007B
	tagResponsePayload       = 0x42007C
	tagResultMessage         = 0x42007D
	tagResultReason          = 0x42007E
	tagResultStatus          = 0x42007F
	tagSecretData            = 0x420085
	tagSecretDataType        = 0x420086
	tagTimeStamp             = 0x420092
	tagUniqueIdentifier      = 0x420094
	tagData                  = 0x4200C2
	typeStructure       byte = 1
	typeInteger         byte = 2
	typeEnumeration     byte = 5
	typeText            byte = 7
	typeBytes           byte = 8
	typeDateTime        byte = 9
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
	for inner := i.value; i.kind == typeStructure && len(inner) > 0; {
		var child item
		if child, inner, err = parse(inner); err != nil {
			return i, nil, err
		}
		i.items = append(i.items, child)
	}
	return i, rest, nil
}

// find is the first item below by its tags; its tag is zero when there is none.
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
	return item{tag: tag, kind: typeStructure, items: items}
}

func integer(tag uint32, kind byte, v uint32) item {
	return item{tag: tag, kind: kind, value: binary.BigEndian.AppendUint32(nil, v)}
}

func text(tag uint32, v string) item { return item{tag: tag, kind: typeText, value: []byte(v)} }

func octets(tag uint32, v []byte) item { return item{tag: tag, kind: typeBytes, value: v} }
