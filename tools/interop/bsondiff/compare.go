package main

import (
	"bytes"
	"fmt"

	official "go.mongodb.org/mongo-driver/v2/bson"

	"github.com/specdrivers/onion/bson"
)

// compareDocument compares how both packages handle a BSON document: decoded and encoded again, and as extended JSON.
func compareDocument(doc []byte) error {
	var ours bson.D
	var theirs official.D
	ourErr, theirErr := bson.Unmarshal(doc, &ours), official.Unmarshal(doc, &theirs)
	if err := checkAgreement("decoding", doc, ourErr, theirErr); err != nil {
		return err
	}
	if ourErr != nil || theirErr != nil {
		return nil
	}
	ourBytes, ourErr := bson.Marshal(ours)
	theirBytes, theirErr := official.Marshal(theirs)
	if err := checkAgreement("encoding", doc, ourErr, theirErr); err != nil {
		return err
	}
	if ourErr == nil && theirErr == nil && !bytes.Equal(ourBytes, theirBytes) {
		return checkDifference("encoding", doc, "ours %x, theirs %x", []byte(ourBytes), theirBytes)
	}
	for _, canonical := range []bool{true, false} {
		what := map[bool]string{true: "writing canonical", false: "writing relaxed"}[canonical]
		ourText, ourErr := bson.MarshalExtJSON(ours, canonical)
		theirText, theirErr := official.MarshalExtJSON(theirs, canonical, false)
		if err := checkAgreement(what, doc, ourErr, theirErr); err != nil {
			return err
		}
		if ourErr == nil && theirErr == nil && !bytes.Equal(ourText, theirText) {
			if err := checkDifference(what, doc, "ours %s, theirs %s", ourText, theirText); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareText compares how both packages parse extended JSON.
func compareText(text []byte) error {
	ours, ourErr := bson.ExtJSONToRaw(text, false)
	var theirs official.D
	theirErr := official.UnmarshalExtJSON(text, false, &theirs)
	if err := checkAgreement("reading", text, ourErr, theirErr); err != nil {
		return err
	}
	if ourErr != nil || theirErr != nil {
		return nil
	}
	theirBytes, err := official.Marshal(theirs)
	if err != nil {
		return checkAgreement("reading", text, nil, err)
	}
	if !bytes.Equal(ours, theirBytes) {
		return checkDifference("reading", text, "ours %x, theirs %x", []byte(ours), theirBytes)
	}
	return nil
}

// compareDecimal compares how both packages parse a numeric string and print the result.
func compareDecimal(text string) error {
	ours, ourErr := bson.ParseDecimal128(text)
	theirs, theirErr := official.ParseDecimal128(text)
	if err := checkAgreement("Decimal128", []byte(text), ourErr, theirErr); err != nil {
		return err
	}
	if ourErr != nil || theirErr != nil {
		return nil
	}
	h, l := ours.Bits()
	if th, tl := theirs.GetBytes(); h != th || l != tl || ours.String() != theirs.String() {
		return checkDifference("Decimal128", []byte(text), "ours %x %x %v, theirs %x %x %v", h, l, ours, th, tl, theirs)
	}
	return nil
}

func checkAgreement(what string, input []byte, ours, theirs error) error {
	if (ours == nil) == (theirs == nil) {
		return nil
	}
	return checkDifference(what, input, "our error %v, their error %v", ours, theirs)
}

// checkDifference returns an error unless the list of deliberate differences covers a difference on this input.
func checkDifference(what string, input []byte, format string, args ...any) error {
	for _, d := range differences {
		if d.what == what && d.applies(input) {
			return nil
		}
	}
	return fmt.Errorf("%s %q (%x): %s", what, input, input, fmt.Sprintf(format, args...))
}
