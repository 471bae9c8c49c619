package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// KMS is what the emitter of package kms sees.
type KMS struct {
	Providers []load.KMSProvider
	Fields    []KMSName
}

// KMSName is the name of a setting or of a part of a master key, and its Go constant.
type KMSName struct{ Name, Text string }

var kmsFieldTypes = []string{"text", "bytes", "endpoint", "boolean"}

// NewKMS checks the table of key management services.
func NewKMS(t *load.Tables) *KMS {
	out := &KMS{}
	names := newUnique[string](t)
	for _, r := range t.KMS().Rows {
		checkSentence(t, r.At, r.Doc)
		names.add(r.Name, r.Name, r.At, "provider %s is given twice", r.Name)
		for _, list := range [][]load.KMSField{r.Settings, r.MasterKey} {
			fields := newUnique[string](t)
			for i := range list {
				f := &list[i]
				if f.Type == "" {
					f.Type = "text"
				}
				checkOneOf(t, f.At, "type", f.Type, kmsFieldTypes)
				fields.add(f.Name, f.Name, f.At, "field %s is given twice", f.Name)
				name := KMSName{Name: "Field" + fieldName(f.Name, ""), Text: f.Name}
				if !slices.Contains(out.Fields, name) {
					out.Fields = append(out.Fields, name)
				}
			}
		}
		out.Providers = append(out.Providers, r)
	}
	return out
}
