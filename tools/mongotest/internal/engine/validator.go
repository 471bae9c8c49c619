package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// validator checks documents before they are stored. A nil validator accepts all.
type validator struct {
	filter *query.Filter
	spec   bson.Raw
	strict bool              // also check documents that were invalid before
	secret *encrypted.Schema // the fields that must be encrypted
	query.Options
	wire int32
}

// validatorOf returns the collection's validator. It is nil if the command bypasses it or if it only warns.
func validatorOf(c *store.Collection, r *Request, a *args) (*validator, error) {
	if c == nil || c.Options.Document == nil || a.bool("bypassDocumentValidation") {
		return nil, nil
	}
	options := c.Options.Document
	secret, err := schemaOf(c)
	if err != nil {
		return nil, err
	}
	spec, _ := options.Lookup("validator").DocumentOK()
	level, _ := options.Lookup("validationLevel").StringOK()
	action, _ := options.Lookup("validationAction").StringOK()
	if len(spec) <= 5 || level == "off" || action == "warn" {
		if secret == nil {
			return nil, nil
		}
		return &validator{secret: secret, wire: r.WireVersion}, nil
	}
	col, err := collation(&args{}, c)
	if err != nil {
		return nil, err
	}
	how := query.Options{Collation: col, Scope: &expr.Scope{WireVersion: r.WireVersion}}
	f, err := query.Compile(spec, how)
	if err != nil {
		return nil, err
	}
	return &validator{filter: f, spec: spec, strict: level != "moderate", secret: secret, Options: how, wire: r.WireVersion}, nil
}

// check refuses an invalid document. old is the version that doc replaces, or nil.
func (v *validator) check(old, doc bson.Raw) error {
	if v == nil {
		return nil
	}
	if !v.secret.Holds(doc) {
		return status.Errorf(errcode.DocumentValidationFailure, "Document failed validation")
	}
	if v.filter == nil {
		return nil
	}
	if ok, err := v.filter.Match(doc); ok || err != nil {
		return err
	}
	if old != nil && !v.strict {
		if ok, _ := v.filter.Match(old); !ok {
			return nil
		}
	}
	failure := status.Errorf(errcode.DocumentValidationFailure, "Document failed validation")
	if v.wire < wire.Server50 {
		return failure
	}
	details := (&mismatch{v.Options, doc}).describe(v.spec)
	info, start := bson.AppendDocumentStart(nil)
	info, in := bson.AppendDocumentElementStart(info, "errInfo")
	info = bson.AppendRawValueElement(info, "failingDocumentId", id(doc))
	info = bson.AppendDocumentEnd(bson.AppendRawValueElement(info, "details", details), in)
	failure.Info = bson.AppendDocumentEnd(info, start)
	return failure
}
