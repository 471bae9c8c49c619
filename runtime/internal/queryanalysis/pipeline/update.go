package pipeline

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// CheckUpdate checks the pipeline of an update, which is sent as it is: it may neither read nor write an encrypted field. env refuses
// comparisons with encrypted fields.
func CheckUpdate(key string, v bson.RawValue, env expression.Env) error {
	list, ok := v.ArrayOK()
	if !ok {
		return refusal.New(key, "", "an update must be a document or a pipeline")
	}
	for _, v := range list.All() {
		doc, isDoc := v.DocumentOK()
		one, _ := doc.Index(0)
		if !isDoc || doc.Len() != 1 {
			return refusal.New(key, "", "a stage must be a document with one field")
		}
		s := stage{name: one.Key, spec: one.Value, env: env}
		var err error
		switch analysis.OfStage(one.Key, false) {
		case analysis.StageAddFields:
			fields, ok := one.Value.DocumentOK()
			if !ok {
				return s.malformedError()
			}
			if err = refusal.CheckUniqueKeys(s.name, fields); err == nil {
				err = s.checkSet(fields, "")
			}
		case analysis.StageUnset:
			err = s.checkUnset()
		default:
			return s.refuse("", "the stage of an update is not supported where fields are encrypted: it could drop or move them")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSet checks the fields of $set.
func (s stage) checkSet(doc bson.Raw, above string) error {
	for key, v := range doc.All() {
		path := above + key
		at, err := s.env.Tree.Lookup(path)
		if err != nil {
			return err
		}
		if expression.IsFields(v) && (at == nil || at.Field() == nil) {
			if err := s.checkSet(bson.Raw(v.Value), path+"."); err != nil {
				return err
			}
			continue
		}
		if at != nil {
			return s.refuse(path, "an update by a pipeline cannot write an encrypted field, or a document that holds one")
		}
		if _, err := s.env.AppendPlain(nil, key, v, s.name); err != nil {
			return err
		}
	}
	return nil
}

// checkUnset checks the fields of $unset.
func (s stage) checkUnset() error {
	paths := []bson.RawValue{s.spec}
	if list, ok := s.spec.ArrayOK(); ok {
		paths, _ = list.Values()
	}
	for _, v := range paths {
		path, ok := v.StringOK()
		if !ok {
			return s.malformedError()
		}
		if at, err := s.env.Tree.Lookup(path); err != nil || at != nil {
			return s.refuse(path, "an update by a pipeline cannot remove an encrypted field, or a document that holds one")
		}
	}
	return nil
}
