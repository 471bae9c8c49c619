package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Update is a pipeline that takes the place of an update document.
type Update struct{ p *Pipeline }

// CheckUpdate refuses unknown stages. A server does so before it runs any statement of a command.
func CheckUpdate(stages bson.RawValue) error {
	for _, v := range value.Elements(stages) {
		e, _ := bson.Raw(v.Value).Index(0)
		if _, known := builders(e.Key); !known && e.Key != "$out" && e.Key != "$merge" {
			return errUnrecognized(e.Key)
		}
	}
	return nil
}

// CompileUpdate compiles the pipeline of an update. It allows only stages that change single documents.
func CompileUpdate(stages bson.RawValue, scope *expr.Scope) (Update, error) {
	if err := CheckUpdate(stages); err != nil {
		return Update{}, err
	}
	for _, v := range value.Elements(stages) {
		e, _ := bson.Raw(v.Value).Index(0)
		switch e.Key {
		case "$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith":
		default:
			return Update{}, status.Errorf(errcode.InvalidOptions, "%s is not allowed to be used within an update", e.Key)
		}
	}
	scope = scope.With(nil)
	scope.Unfolded = true // an update that matches nothing has no error of evaluation
	p, err := Compile(stages, Options{Scope: scope})
	return Update{p}, err
}

// Apply changes one document.
func (u Update) Apply(doc bson.Raw) (bson.Raw, error) {
	return u.p.Run(List([]bson.Raw{doc}))()
}
