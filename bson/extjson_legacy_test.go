package bson

import (
	"errors"
	"testing"
)

func TestLegacyExtJSON(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"binary", `{"a":{"$binary":"AQI=","$type":"80"}}`, `{"a":{"$binary":{"base64":"AQI=","subType":"80"}}}`},
		{"binary, keys reversed", `{"a":{"$type":"0","$binary":"AQI="}}`, `{"a":{"$binary":{"base64":"AQI=","subType":"00"}}}`},
		{"binary of version 2", `{"a":{"$binary":{"base64":"AQI=","subType":"80"}}}`, `{"a":{"$binary":{"base64":"AQI=","subType":"80"}}}`},
		{"regular expression", `{"a":{"$regex":"b","$options":"xi"}}`, `{"a":{"$regularExpression":{"pattern":"b","options":"ix"}}}`},
		{"regular expression, keys reversed", `{"a":{"$options":"","$regex":"b"}}`, `{"a":{"$regularExpression":{"pattern":"b","options":""}}}`},
		{"$regex operator", `{"a":{"$regex":{"$regularExpression":{"pattern":"b","options":""}},"$options":"i"}}`,
			`{"a":{"$regex":{"$regularExpression":{"pattern":"b","options":""}},"$options":"i"}}`},
		{"$regex operator alone", `{"a":{"$regex":"b"}}`, `{"a":{"$regex":"b"}}`},
		{"$regex operator next to another", `{"a":{"$regex":"b","$options":"i","$ne":1}}`, `{"a":{"$regex":"b","$options":"i","$ne":1}}`},
		{"$type operator", `{"a":{"$type":"string"},"b":{"$type":2}}`, `{"a":{"$type":"string"},"b":{"$type":2}}`},
		{"date as a number", `{"a":[{"$date":1},{"$date":-1}]}`, `{"a":[{"$date":"1970-01-01T00:00:00.001Z"},{"$date":{"$numberLong":"-1"}}]}`},
		{"at the top", `{"$regex":"b","$options":"i"}`, `{"$regex":"b","$options":"i"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := LegacyExtJSONToRaw([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := doc.Validate(); err != nil {
				t.Fatalf("%x: %v", doc, err)
			}
			if got, err := AppendExtJSON(nil, doc, false); err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	rejected := []struct{ name, text string }{
		{"binary without a type", `{"a":{"$binary":"AQI="}}`},
		{"binary with a number as type", `{"a":{"$binary":"AQI=","$type":0}}`},
		{"binary with a long type", `{"a":{"$binary":"AQI=","$type":"string"}}`},
		{"binary with another key", `{"a":{"$binary":"AQI=","$type":"00","b":1}}`},
		{"binary without padding", `{"a":{"$binary":"AQI","$type":"00"}}`},
		{"date with a fraction", `{"a":{"$date":1.5}}`},
		{"zero byte in a pattern", `{"a":{"$regex":"\u0000","$options":""}}`},
	}
	for _, tt := range rejected {
		t.Run(tt.name, func(t *testing.T) {
			if doc, err := LegacyExtJSONToRaw([]byte(tt.text)); !errors.Is(err, ErrInvalidExtJSON) {
				t.Errorf("got %x, %v, want ErrInvalidExtJSON", doc, err)
			}
		})
	}
}
