package record

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

const (
	maxShape  = 600 // bytes of a shape
	maxValues = 2000
	maxDepth  = 8
)

// plainFields are the fields of a command whose values say nothing about documents.
var plainFields = map[string]bool{
	"limit": true, "skip": true, "batchSize": true, "singleBatch": true, "ordered": true, wire.FieldMaxTimeMS: true, "new": true,
	"upsert": true, "multi": true, "sort": true, wire.FieldReadConcern: true, wire.FieldWriteConcern: true, wire.FieldReadPreference: true,
	"tailable": true, "awaitData": true, "hint": true, "collection": true,
}

// hiddenFields are the fields that every command has.
var hiddenFields = map[string]bool{
	wire.FieldLSID: true, wire.FieldClusterTime: true, wire.FieldDB: true, wire.FieldTxnNumber: true,
}

// Shape returns a command as text with ? in place of values, so that it shows the query and no data. With values, it
// shows the values, too. It leaves out the fields that every command has, and cuts long texts.
func Shape(command bson.Raw, values bool) string {
	if len(command) == 0 {
		return ""
	}
	most := maxShape
	if values {
		most = maxValues
	}
	var b strings.Builder
	first := true
	b.WriteByte('{')
	for key, v := range command.All() {
		if hiddenFields[key] || strings.HasPrefix(key, "api") { // or the fields of the stable API
			continue
		}
		writeKey(&b, key, first)
		if _, isText := v.StringOK(); values || plainFields[key] || first && isText {
			b.WriteString(v.String())
		} else {
			writeShape(&b, v, 1)
		}
		first = false
		if b.Len() > most {
			break
		}
	}
	b.WriteByte('}')
	return truncate(b.String(), most)
}

func writeKey(b *strings.Builder, key string, first bool) {
	if !first {
		b.WriteString(", ")
	}
	b.WriteString(key + ": ")
}

func writeShape(b *strings.Builder, v bson.RawValue, depth int) {
	if depth > maxDepth || b.Len() > maxShape {
		b.WriteString("…")
		return
	}
	if list, ok := v.ArrayOK(); ok {
		writeList(b, list, depth)
		return
	}
	doc, ok := v.DocumentOK()
	if !ok {
		b.WriteByte('?')
		return
	}
	b.WriteByte('{')
	first := true
	for key, inner := range doc.All() {
		writeKey(b, key, first)
		writeShape(b, inner, depth+1)
		first = false
		if b.Len() > maxShape {
			break
		}
	}
	b.WriteByte('}')
}

// writeList writes the first element and the number of elements, or all stages of a pipeline.
func writeList(b *strings.Builder, list bson.RawArray, depth int) {
	count, stages := 0, true
	for _, v := range list.All() {
		count++
		stages = stages && isStage(v)
	}
	b.WriteByte('[')
	at := 0
	for _, v := range list.All() {
		if at > 0 && !stages {
			break
		}
		if at > 0 {
			b.WriteString(", ")
		}
		writeShape(b, v, depth+1)
		at++
	}
	b.WriteByte(']')
	if count > 1 && !stages {
		b.WriteString("×" + strconv.Itoa(count))
	}
}

// isStage reports whether a value is a document whose first key is an operator.
func isStage(v bson.RawValue) bool {
	doc, ok := v.DocumentOK()
	if !ok {
		return false
	}
	for key := range doc.All() {
		return strings.HasPrefix(key, "$")
	}
	return false
}

func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
