package encrypt

import (
	"crypto/rand"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The driver bounds every number in a server's encryptedFields: with each as large or as small as it can be, it encrypts a
// document and a search, or refuses them, at once and without much memory. Only a number that cannot mean anything must be refused.
func TestNumbersOfEncryptedFieldsAreBounded(t *testing.T) {
	newAutoForPath(t, "", "a", true) // reads the keys
	const patience, memory = 5 * time.Second, 64 << 20
	whole := []string{"-1", "0", "1", "127", "128", "2147483647", "2147483648", fmt.Sprint(int64(math.MaxInt64)), fmt.Sprint(int64(math.MinInt64)), "1e300", "NaN", "0.5", `"1"`, "null"}
	number := func(s string) string {
		switch {
		case strings.HasPrefix(s, `"`) || s == "null":
			return s
		case strings.ContainsAny(s, ".eN"):
			return `{"$numberDouble": "` + s + `"}`
		}
		return `{"$numberLong": "` + s + `"}`
	}
	for _, c := range []struct{ kind, query, value, options string }{
		{"string", "equality", `"abc"`, "contention"},
		{"string", "prefix", `"abc"`, "contention strMinQueryLength strMaxQueryLength"},
		{"string", "substring", `"abc"`, "contention strMinQueryLength strMaxQueryLength strMaxLength"},
		{"long", "range", `{"$numberLong": "5"}`, "contention sparsity trimFactor min max"},
		{"int", "range", `{"$numberInt": "5"}`, "sparsity trimFactor min max"},
		{"date", "range", `{"$date": {"$numberLong": "5"}}`, "min max"},
		{"double", "range", `{"$numberDouble": "0.5"}`, "sparsity trimFactor precision min max"},
		{"decimal", "range", `{"$numberDecimal": "0.5"}`, "sparsity trimFactor precision min max"},
	} {
		for option := range strings.FieldsSeq(c.options) {
			numbers := whole
			if option == "min" || option == "max" {
				numbers = append(numbers[:len(numbers):len(numbers)], "bound")
			}
			for _, n := range numbers {
				t.Run(fmt.Sprint(c.kind, " ", c.query, " ", option, " ", n), func(t *testing.T) {
					fields := map[string]string{}
					switch c.query {
					case "prefix":
						fields = map[string]string{"strMinQueryLength": "1", "strMaxQueryLength": "9", "caseSensitive": "true", "diacriticSensitive": "true"}
					case "substring":
						fields = map[string]string{"strMinQueryLength": "1", "strMaxQueryLength": "9", "strMaxLength": "20", "caseSensitive": "true", "diacriticSensitive": "true"}
					case "range":
						if option != "sparsity" && option != "trimFactor" || c.kind != "int" {
							fields = map[string]string{"min": bound(c.kind, "0"), "max": bound(c.kind, "100")}
						}
						if c.kind == "double" || c.kind == "decimal" {
							fields["precision"] = "1"
						}
					}
					fields[option] = number(n)
					if option == "min" || option == "max" {
						fields[option] = extreme(c.kind, option, n)
					}
					text := `"queryType": "` + c.query + `"`
					for name, v := range fields {
						text += fmt.Sprintf(", %q: %s", name, v)
					}
					a := (&Auto{Ring: fuzzRing.Ring, Random: rand.Reader}).learnFrom(t, fmt.Sprintf(
						`{"name": "c", "type": "collection", "options": {"encryptedFields": {"fields": [{"path": "a", "bsonType": %q, "keyId": %s, "queries": {%s}}]}}}`,
						c.kind, fuzzKey, text))
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					began := time.Now()
					done := make(chan string, 1)
					go func() {
						said := ""
						for _, command := range []string{`{"insert": "c", "documents": [{"a": VALUE}]}`, `{"find": "c", "filter": {"a": VALUE}}`,
							`{"find": "c", "filter": {"a": {"$gte": VALUE}}}`, `{"find": "c", "filter": {"$expr": {"$encStrContains": {"input": "$a", "substring": VALUE}}}}`} {
							cmd := parseRaw(t, strings.ReplaceAll(command, "VALUE", c.value))
							sent, err := a.Encrypt(t.Context(), database(cmd), cmd)
							said += fmt.Sprintf("%d bytes, %.200v; ", len(sent), err)
						}
						done <- said
					}()
					select {
					case said := <-done:
						runtime.ReadMemStats(&after)
						if grown := after.TotalAlloc - before.TotalAlloc; grown > memory {
							t.Errorf("it allocated %d MB: %s", grown>>20, said)
						}
						if refused := strings.HasPrefix(said, "0 bytes"); !refused && (n == "-1" && option != "min" && option != "max" || n == "NaN" || n == `"1"`) {
							t.Errorf("it is taken: %s", said)
						}
					case <-time.After(patience):
						t.Fatalf("it goes on after %v", time.Since(began))
					}
				})
			}
		}
	}
}

// bound writes a number of a type.
func bound(kind, n string) string {
	return strings.ReplaceAll(map[string]string{
		"int": `{"$numberInt": "N"}`, "long": `{"$numberLong": "N"}`, "date": `{"$date": {"$numberLong": "N"}}`,
		"double": `{"$numberDouble": "N"}`, "decimal": `{"$numberDecimal": "N"}`,
	}[kind], "N", n)
}

// extreme writes the most extreme number that a type allows, or a value of another type.
func extreme(kind, option, n string) string {
	lowest := map[string][2]string{"int": {"-2147483648", "2147483647"}, "long": {"-9223372036854775808", "9223372036854775807"},
		"date": {"-9223372036854775808", "9223372036854775807"}, "double": {"-1.7976931348623157e308", "1.7976931348623157e308"},
		"decimal": {"-9.999999999999999999999999999999999E6144", "9.999999999999999999999999999999999E6144"}}[kind]
	switch n {
	case "bound":
		if option == "min" {
			return bound(kind, lowest[0])
		}
		return bound(kind, lowest[1])
	case "NaN":
		if kind == "double" || kind == "decimal" {
			return bound(kind, "NaN")
		}
	case "1e300":
		if kind == "double" || kind == "decimal" {
			return bound(kind, "Infinity")
		}
	case "0.5":
		if kind == "decimal" {
			return bound(kind, "1E-6176")
		}
	case "-1", "0", "1", "127", "128":
		return bound(kind, n)
	}
	return `{"$numberDouble": "0.25"}`
}
