package expr

import (
	"github.com/specdrivers/onion/bson"
)

// function is an operator that evaluates all its arguments first.
type function struct {
	min, max int // max < 0 allows any number
	call     func(env *Env, args []bson.RawValue) (bson.RawValue, error)
}
