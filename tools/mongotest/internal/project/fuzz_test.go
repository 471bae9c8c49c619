package project_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/update"
)

// FuzzFindAndModify runs any update on any document that any query finds, and projects the result: nothing may panic.
func FuzzFindAndModify(f *testing.F) {
	for _, s := range [][4]string{
		{`{'a.b':1}`, `{$set:{'a.$.b':2}}`, `{'a.$':1}`, `{x:1}`},
		{`{a:{$elemMatch:{b:1}}}`, `{$push:{c:{$each:[1],$sort:{x:1},$slice:-2}}}`, `{c:{$slice:[-1,1]}}`, `{x:{$gt:1}}`},
		{`{c:3}`, `{$mul:{'c.$[x]':2},$rename:{a:'z'}}`, `{z:1,q:'$c'}`, `{x:{$gt:1}}`},
		{`{}`, `{$pull:{a:{b:1}},$bit:{d:{or:5}}}`, `{'a.b':0}`, `{x:1}`},
	} {
		f.Add([]byte(doc(f, s[0])), []byte(doc(f, s[1])), []byte(doc(f, s[2])), []byte(doc(f, s[3])), []byte(doc(f, `{_id:1,a:[{b:1},{b:2}],c:[3,2]}`)))
	}
	f.Fuzz(func(t *testing.T, filter, change, projection, arrayFilter, d []byte) {
		for _, raw := range [...]bson.Raw{filter, change, projection, arrayFilter, d} {
			if raw.Validate() != nil {
				return
			}
		}
		q, err := query.Compile(filter, query.Options{})
		if err != nil {
			return
		}
		if seed, err := update.Seed(q.Equalities(), false); err == nil && seed.Validate() != nil {
			t.Errorf("invalid seed of %s", bson.Raw(filter))
		}
		u, err := update.Compile(change, update.Options{ArrayFilters: []bson.Raw{arrayFilter}})
		if err != nil {
			if u, err = update.Compile(change, update.Options{}); err != nil {
				return
			}
		}
		p, err := project.Compile(projection, project.Options{Filter: q})
		if err != nil {
			return
		}
		var m query.Match
		if ok, err := q.Test(&m, d); !ok || err != nil {
			return
		}
		changed, err := u.Apply(update.Input{Doc: d, Position: m.Position})
		if err != nil {
			return
		}
		if out, err := p.Apply(changed, m.Position); changed.Validate() != nil || err == nil && out.Validate() != nil {
			t.Errorf("invalid result of %s and %s on %s", bson.Raw(change), bson.Raw(projection), bson.Raw(d))
		}
	})
}
