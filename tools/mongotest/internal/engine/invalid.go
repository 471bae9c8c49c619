package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// mismatch explains, in the details of errInfo, why a document does not match a validator: which operators failed, and
// on which values. schemadetails.go has the operators of a schema.
type mismatch struct {
	options query.Options
	doc     bson.Raw
}

// fails reports whether the document does not match one condition.
func (x *mismatch) fails(name string, v bson.RawValue) bool {
	f, err := query.Compile(newSingleField(name, v), x.options)
	if err != nil {
		return false
	}
	ok, err := f.Match(x.doc)
	return err == nil && !ok
}

// describe returns the details of a query document: its only condition's, or an $and of the conditions that failed.
func (x *mismatch) describe(filter bson.Raw) bson.RawValue {
	var failed []bson.RawValue
	at := int32(0)
	for name, v := range filter.All() {
		for _, c := range conditions(name, v) {
			if x.fails(c.name, c.v) {
				failed = append(failed, newClause(at, x.describeCondition(c.name, c.v)))
			}
			at++
		}
	}
	if at == 1 && len(failed) == 1 {
		d, _ := bson.Raw(failed[0].Value).Lookup("details").DocumentOK()
		return value.Document(d)
	}
	return newDetail("$and", func(dst []byte) []byte {
		return bson.AppendRawValueElement(dst, "clausesNotSatisfied", value.ArrayOf(failed...))
	})
}

func (x *mismatch) describeCondition(name string, v bson.RawValue) bson.RawValue {
	switch name {
	case "$and", "$or", "$nor":
		return x.describeBranches(name, v)
	case "$expr":
		return newDetail(name, func(dst []byte) []byte {
			dst = bson.AppendDocumentElement(dst, "specifiedAs", newSingleField(name, v))
			dst = bson.AppendStringElement(dst, "reason", "expression did not match")
			return bson.AppendBooleanElement(dst, "expressionResult", false)
		})
	case "$jsonSchema":
		schema, _ := v.DocumentOK()
		return newDetail(name, func(dst []byte) []byte {
			dst = appendAnnotations(dst, schema)
			return bson.AppendRawValueElement(dst, "schemaRulesNotSatisfied",
				value.ArrayOf(schemaDetails(schema, value.Document(x.doc))...))
		})
	}
	operator := "$eq"
	if d, ok := v.DocumentOK(); ok {
		if first, _ := d.Index(0); strings.HasPrefix(first.Key, "$") {
			operator = first.Key
		}
	}
	return x.describeOnField(name, operator, v)
}

func (x *mismatch) describeBranches(name string, v bson.RawValue) bson.RawValue {
	var list []bson.RawValue
	for i, branch := range value.Elements(v) {
		d, _ := branch.DocumentOK()
		f, err := query.Compile(d, x.options)
		if err != nil {
			continue
		}
		switch ok, _ := f.Match(x.doc); {
		case name == "$nor" && ok:
			list = append(list, newClause(int32(i), newDetail("$nor", func(dst []byte) []byte {
				return bson.AppendDocumentElement(dst, "specifiedAs", d)
			})))
		case name != "$nor" && !ok:
			list = append(list, newClause(int32(i), x.describe(d)))
		}
	}
	field := "clausesNotSatisfied"
	if name == "$nor" {
		field = "clausesSatisfied"
	}
	return newDetail(name, func(dst []byte) []byte { return bson.AppendRawValueElement(dst, field, value.ArrayOf(list...)) })
}

// reasons are the reasons for operators on fields. Operators that are not listed are comparisons.
var reasons = map[string]string{
	"$type": "type did not match", "$in": "no matching value found in array", "$nin": "matching value found in array",
	"$regex": "regular expression did not match", "$size": "array length was not equal to given size",
	"$mod": "$mod did not evaluate to expected remainder", "$elemMatch": "array did not satisfy the child predicate",
	"$all": "array did not contain all specified values", "$not": "child expression matched",
}

func (x *mismatch) describeOnField(name, operator string, v bson.RawValue) bson.RawValue {
	found := path.Parse(name).Lookup(x.doc)
	reason, ok := reasons[operator]
	switch {
	case operator == "$exists" && found.IsZero():
		reason = "path does not exist"
	case operator == "$exists":
		reason = "path does exist"
	case found.IsZero():
		reason = "field was missing"
	case !ok:
		reason = "comparison failed"
	}
	return newDetail(operator, func(dst []byte) []byte {
		dst = bson.AppendDocumentElement(dst, "specifiedAs", newSingleField(name, v))
		dst = bson.AppendStringElement(dst, "reason", reason)
		if found.IsZero() || operator == "$exists" {
			return dst
		}
		dst = bson.AppendRawValueElement(dst, "consideredValue", found)
		if operator == "$type" {
			dst = bson.AppendStringElement(dst, "consideredType", found.Type.String())
		}
		return dst
	})
}
