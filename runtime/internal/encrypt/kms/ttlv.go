package kms

import (
	"encoding/binary"
	"errors"

	"github.com/specdrivers/onion/generated/core/kmip"
)

// Items of KMIP: a tag of 3 bytes, a type, a length of 4 bytes, and a value padded to a multiple of 8 bytes. The length
// does not count the padding, except the padding of items inside a structure.

func appendHead(dst []byte, tag uint32, kind byte, length int) []byte {
	dst = append(dst, byte(tag>>16), byte(tag>>8), byte(tag), kind)
	return binary.BigEndian.AppendUint32(dst, uint32(length))
}

func number(tag uint32, kind byte, value int) []byte {
	dst := appendHead(nil, tag, kind, 4)
	dst = binary.BigEndian.AppendUint32(dst, uint32(value))
	return append(dst, 0, 0, 0, 0)
}

func integer(tag uint32, value int) []byte     { return number(tag, kmip.TypeInteger, value) }
func enumeration(tag uint32, value int) []byte { return number(tag, kmip.TypeEnumeration, value) }

func boolean(tag uint32) []byte {
	return append(appendHead(nil, tag, kmip.TypeBoolean, 8), 0, 0, 0, 0, 0, 0, 0, 1)
}

func octets(tag uint32, kind byte, value []byte) []byte {
	dst := append(appendHead(nil, tag, kind, len(value)), value...)
	return append(dst, make([]byte, -len(value)&7)...)
}

func bytesItem(tag uint32, value []byte) []byte { return octets(tag, kmip.TypeBytes, value) }
func textItem(tag uint32, value string) []byte  { return octets(tag, kmip.TypeText, []byte(value)) }

func structure(tag uint32, items ...[]byte) []byte {
	length := 0
	for _, item := range items {
		length += len(item)
	}
	dst := appendHead(nil, tag, kmip.TypeStructure, length)
	for _, item := range items {
		dst = append(dst, item...)
	}
	return dst
}

// item is one item that was read. Its value shares the bytes.
type item struct {
	tag   uint32
	kind  byte
	value []byte
}

var errTTLV = errors.New("encrypt: malformed KMIP response")

// nextItem reads the first item of b and returns what follows it.
func nextItem(b []byte) (item, []byte, error) {
	if len(b) < 8 {
		return item{}, nil, errTTLV
	}
	length := uint64(binary.BigEndian.Uint32(b[4:]))
	padded := length + -length&7
	if padded > uint64(len(b)-8) {
		return item{}, nil, errTTLV
	}
	i := item{tag: uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]), kind: b[3], value: b[8 : 8+length]}
	return i, b[8+padded:], nil
}

// find follows a path of tags into a list of items.
func find(b []byte, path ...uint32) (item, bool) {
	for len(b) > 0 {
		i, rest, err := nextItem(b)
		if err != nil {
			return item{}, false
		}
		if i.tag == path[0] {
			if len(path) == 1 {
				return i, true
			}
			if i.kind != kmip.TypeStructure {
				return item{}, false
			}
			return find(i.value, path[1:]...)
		}
		b = rest
	}
	return item{}, false
}

// number returns the value of an integer or an enumeration.
func (i item) number() (uint32, bool) {
	if (i.kind != kmip.TypeEnumeration && i.kind != kmip.TypeInteger) || len(i.value) != 4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(i.value), true
}
