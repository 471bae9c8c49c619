package suite

import (
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

var bsonType = regexp.MustCompile(`^0x[0-9A-Fa-f]{2}$`)

// readCorpusTop reads what a file of the BSON corpus says about all of its cases. BSON Corpus, "Top level keys".
func readCorpusTop(f *fields) {
	f.str("description")
	f.strOr("test_key")
	f.flagOr("deprecated")
	if text := f.str("bson_type"); !bsonType.MatchString(text) {
		f.c.problemf(f.n, "%q is not a BSON type", text)
	}
}

func corpusCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	switch c.list {
	case "decodeErrors":
		return []jen.Code{helper("corpus", "DecodeError").Call(jen.Id("t"), f.hex("bson"))}
	case "parseErrors":
		if c.file.Root.Get("bson_type").Text == "0x13" {
			return []jen.Code{helper("corpus", "DecimalError").Call(jen.Id("t"), text(f.str("string")))}
		}
		return []jen.Code{helper("corpus", "ParseError").Call(jen.Id("t"), text(f.str("string")))}
	}
	return corpusValid(f)
}

// corpusValid emits the assertions of BSON Corpus, "Testing validity".
func corpusValid(f *fields) []jen.Code {
	constructor := "Valid"
	if lossy, _ := f.flagOr("lossy"); lossy {
		constructor = "ValidLossy"
	}
	extended := f.str("canonical_extjson")
	body := []jen.Code{jen.Id("c").Op(":=").Add(helper("corpus", constructor)).Call(jen.Id("t"), f.hex("canonical_bson"))}
	if doc, err := source.ParseJSON([]byte(extended)); err == nil && doc.Kind == source.Object && constructor == "Valid" {
		if value, ok := (literals{exact: true}).document(doc); ok {
			body = append(body, call("c", "Means", value))
		}
	}
	body = append(body, call("c", "Canonical", text(extended)))
	for _, form := range []struct{ key, method string }{
		{"relaxed_extjson", "Relaxed"}, {"degenerate_extjson", "Degenerate"},
	} {
		if s, ok := f.strOr(form.key); ok {
			body = append(body, call("c", form.method, text(s)))
		}
	}
	if f.value("degenerate_bson") != nil {
		body = append(body, call("c", "DegenerateBSON", f.hex("degenerate_bson")))
	}
	return append(body, checkConverted(f)...)
}

// checkConverted emits the check of what a deprecated type may be converted to. Either of its two forms may be absent.
func checkConverted(f *fields) []jen.Code {
	t := jen.Id("t")
	switch digits, extended := f.value("converted_bson"), f.value("converted_extjson"); {
	case digits != nil && extended != nil:
		return []jen.Code{helper("corpus", "Converted").Call(t, f.hex("converted_bson"), text(f.str("converted_extjson")))}
	case digits != nil:
		return []jen.Code{helper("corpus", "Valid").Call(t, f.hex("converted_bson"))}
	case extended != nil:
		return []jen.Code{helper("corpus", "ConvertedText").Call(t, text(f.str("converted_extjson")))}
	}
	return nil
}

// hex returns a string literal of hexadecimal digits.
func (f *fields) hex(key string) jen.Code {
	s := f.str(key)
	if _, err := hex.DecodeString(s); err != nil {
		f.c.problemf(f.need(key), "%q is not hexadecimal", key)
	}
	return jen.Lit(strings.ToUpper(s))
}
