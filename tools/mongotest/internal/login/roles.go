package login

import (
	"cmp"
	"maps"
	"slices"
)

func compareNames(a, b RoleName) int {
	return cmp.Or(cmp.Compare(a.DB, b.DB), cmp.Compare(a.Name, b.Name))
}

// builtinRole finds a role that every server has.
func (d *Directory) builtinRole(n RoleName) (builtin, bool) {
	b, ok := d.builtins[n.Name]
	return b, ok && (b.everywhere || n.DB == "admin")
}

// hasRole reports whether a role exists; d.mu is held.
func (d *Directory) hasRole(n RoleName) bool {
	_, ok := d.builtinRole(n)
	return ok || d.roles[n.key()] != nil
}

// inheritedRoles returns all roles that the given roles include, each once, in the order found; d.mu is held.
func (d *Directory) inheritedRoles(names []RoleName) []RoleName {
	var out []RoleName
	var walk func([]RoleName)
	walk = func(names []RoleName) {
		for _, n := range names {
			if slices.Contains(out, n) || !d.hasRole(n) {
				continue
			}
			out = append(out, n)
			if r := d.roles[n.key()]; r != nil {
				walk(r.roles)
			}
		}
	}
	walk(names)
	return out
}

// privilegesOf returns the combined privileges of roles; d.mu is held.
func (d *Directory) privilegesOf(names []RoleName) []Privilege {
	var list []Privilege
	for _, n := range d.inheritedRoles(names) {
		if b, ok := d.builtinRole(n); ok {
			list = grant(list, b.privileges(n.DB)...)
		} else {
			list = grant(list, d.roles[n.key()].privileges...)
		}
	}
	return list
}

// rootRole is the role of a user that the deployment was given without roles.
var rootRole = RoleName{"root", "admin"}

// rolesOf returns the roles of a principal; d.mu is held. A principal that is not in the directory comes from elsewhere,
// such as an identity provider, which does not name roles.
func (d *Directory) rolesOf(p Principal) []RoleName {
	stored := d.byName[p.DB+"."+p.Name]
	if stored == nil {
		if d.dropped[p] {
			return nil
		}
		return []RoleName{rootRole}
	}
	return stored.roles
}

// invalidate makes every connection recompute its privileges; d.mu is held.
func (d *Directory) invalidate() { d.generation.Add(1) }

// privilegesOfState returns the privileges of a connection's principals.
func (d *Directory) privilegesOfState(s *State) []Privilege {
	now := d.generation.Load()
	if s.privileges != nil && s.generation == now && s.counted == len(s.Principals) {
		return s.privileges
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []RoleName
	for _, p := range s.Principals {
		names = append(names, d.rolesOf(p)...)
	}
	s.privileges, s.generation, s.counted = d.privilegesOf(names), now, len(s.Principals)
	return s.privileges
}

// Allows reports whether a connection's principals have everything that a command needs.
func (d *Directory) Allows(s *State, needs ...Need) bool {
	have := d.privilegesOfState(s)
	for _, n := range needs {
		if !slices.ContainsFunc(have, func(p Privilege) bool { return p.allows(n) }) {
			return false
		}
	}
	return true
}

// Reaches reports whether the principals may do anything with a collection. If collection is "", any collection of the
// database will do.
func (d *Directory) Reaches(s *State, db, collection string) bool {
	return slices.ContainsFunc(d.privilegesOfState(s), func(p Privilege) bool {
		switch {
		case p.Cluster:
			return false
		case collection != "":
			return p.covers(namespace(db, collection))
		}
		return p.covers(namespace(db, "")) || p.DB == db || p.DB == "" && p.Collection != "" && !p.Any
	})
}

// sortedRoles returns the user-defined roles in order of key; d.mu is held.
func (d *Directory) sortedRoles() []*role {
	var list []*role
	for _, key := range slices.Sorted(maps.Keys(d.roles)) {
		list = append(list, d.roles[key])
	}
	return list
}

// Has reports whether the principals of a connection have a role.
func (d *Directory) Has(s *State, name RoleName) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range s.Principals {
		if slices.Contains(d.inheritedRoles(d.rolesOf(p)), name) {
			return true
		}
	}
	return false
}

func addRoles(have, more []RoleName) []RoleName {
	have = slices.Clone(have)
	for _, n := range more {
		if !slices.Contains(have, n) {
			have = append(have, n)
		}
	}
	return have
}

func removeRoles(have, gone []RoleName) []RoleName {
	return slices.DeleteFunc(slices.Clone(have), func(n RoleName) bool { return slices.Contains(gone, n) })
}
