package crypt

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
)

// spellOut adds what an analyzed command leaves out and the analysis of upstream's libraries puts into its result: suites
// compare what is sent with that.
func spellOut(name string, cmd bson.Raw) bson.Raw {
	switch {
	case name == "update":
		return spellUpdates(cmd)
	case analysis.OfArgument(name, name) == analysis.ArgumentCommand:
		if cmd.Lookup("verbosity").IsZero() {
			dst := append(make([]byte, 0, len(cmd)+40), cmd[:len(cmd)-1]...)
			return bson.AppendDocumentEnd(bson.AppendStringElement(dst, "verbosity", "allPlansExecution"), 0)
		}
	}
	return cmd
}

// spellUpdates gives each statement of an update the flags multi and upsert.
func spellUpdates(cmd bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(cmd)+64))
	for key, value := range cmd.All() {
		list, ok := value.ArrayOK()
		if key != "updates" || !ok {
			dst = bson.AppendRawValueElement(dst, key, value)
			continue
		}
		var array, i int
		dst, array = bson.AppendArrayElementStart(dst, key)
		for _, item := range list.All() {
			statement, ok := item.DocumentOK()
			if !ok {
				return cmd // the server refuses it
			}
			dst = bson.AppendHeader(dst, bsontype.EmbeddedDocument, strconv.Itoa(i))
			at := len(dst)
			dst = append(dst, statement[:len(statement)-1]...)
			for _, flag := range []string{"multi", "upsert"} {
				if statement.Lookup(flag).IsZero() {
					dst = bson.AppendBooleanElement(dst, flag, false)
				}
			}
			dst = bson.AppendDocumentEnd(dst, at)
			i++
		}
		dst = bson.AppendDocumentEnd(dst, array)
	}
	return bson.AppendDocumentEnd(dst, start)
}
