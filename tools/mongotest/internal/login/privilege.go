package login

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// Resource is the object of a privilege or of a command. In a privilege it is a pattern, and an empty name matches
// every database or every collection. In a command a resource without a collection is a whole database.
type Resource struct {
	DB, Collection string
	Cluster        bool // the deployment itself
	Any            bool // everything; only privileges use it
}

// Need is an action that a command needs to run on a resource.
type Need struct {
	Resource
	Action string
}

// Privilege allows actions on a resource.
type Privilege struct {
	Resource
	Actions []string
}

// anyAction allows everything.
const anyAction = "anyAction"

// allows reports whether the privilege covers a need.
func (p Privilege) allows(n Need) bool {
	return p.covers(n.Resource) && (slices.Contains(p.Actions, n.Action) || slices.Contains(p.Actions, anyAction))
}

// covers reports whether the pattern matches a target. Patterns without a collection do not match system collections,
// and patterns without a database do not match local and config.
func (r Resource) covers(target Resource) bool {
	normal := !strings.HasPrefix(target.Collection, "system.")
	switch {
	case r.Any:
		return true
	case r.Cluster || target.Cluster:
		return r.Cluster && target.Cluster
	case r.DB == "" && r.Collection == "":
		return normal && target.DB != "local" && target.DB != "config"
	case r.DB == "":
		return r.Collection == target.Collection
	case r.DB != target.DB:
		return false
	case r.Collection == "":
		return normal
	}
	return r.Collection == target.Collection
}

// isIn reports whether the resource lies in a database.
func (r Resource) isIn(db string) bool { return !r.Cluster && !r.Any && r.DB == db }

func (r Resource) document() bson.D {
	switch {
	case r.Cluster:
		return bson.Doc("cluster", true)
	case r.Any:
		return bson.Doc("anyResource", true)
	}
	return bson.Doc("db", r.DB, "collection", r.Collection)
}

func (p Privilege) document() bson.D {
	actions := bson.A{}
	for _, a := range p.Actions {
		actions = append(actions, a)
	}
	return bson.Doc("resource", p.Resource.document(), "actions", actions)
}

func documentsOf(list []Privilege) bson.A {
	out := bson.A{}
	for _, p := range list {
		out = append(out, p.document())
	}
	return out
}

// grant adds privileges to a list. The list has each resource once.
func grant(list []Privilege, more ...Privilege) []Privilege {
	for _, p := range more {
		i := slices.IndexFunc(list, func(have Privilege) bool { return have.Resource == p.Resource })
		if i < 0 {
			list, i = append(list, Privilege{Resource: p.Resource}), len(list)
		}
		actions := slices.Concat(list[i].Actions, p.Actions)
		slices.Sort(actions)
		list[i].Actions = slices.Compact(actions)
	}
	return list
}

// revoke removes privileges from a list.
func revoke(list []Privilege, gone ...Privilege) []Privilege {
	var left []Privilege
	for _, p := range list {
		for _, g := range gone {
			if g.Resource == p.Resource {
				p.Actions = slices.DeleteFunc(slices.Clone(p.Actions), func(a string) bool { return slices.Contains(g.Actions, a) })
			}
		}
		if len(p.Actions) > 0 {
			left = append(left, p)
		}
	}
	return left
}
