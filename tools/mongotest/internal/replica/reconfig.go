// The commands replSetReconfig, replSetSyncFrom, replSetMaintenance and replSetResizeOplog.
//
// Left out: only the deployment's own nodes can be members, and their numbers stay; votes, secondaryDelaySecs and
// settings change nothing. Members do not choose a member to sync from, and have no maintenance mode.

package replica

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// RunReconfig installs the command's configuration.
func (s *Set) RunReconfig(c *call.Call, node int) (bson.Raw, error) {
	config, ok := c.Value().DocumentOK()
	if !ok {
		return nil, status.WrongType(c.Name+"."+c.Name, c.Value(), "object")
	}
	if role, _ := s.RoleOf(node); role != Primary && !c.Flag("force") {
		return nil, status.Errorf(errcode.NotWritablePrimary,
			"New config is rejected :: caused by :: replSetReconfig should only be run on a writable PRIMARY. Current state %s;",
			strings.ToUpper(role.String()))
	}
	members, err := s.readMembers(config)
	if err != nil {
		return nil, err
	}
	settings, err := s.readSettings(config)
	if err != nil {
		return nil, err
	}
	version, _ := config.Lookup("version").AsInt64OK()
	s.mu.Lock()
	have := s.setVersion
	s.mu.Unlock()
	if version <= have && !c.Flag("force") {
		return nil, status.Errorf(errcode.NewReplicaSetConfigurationIncompatible, "New replica set configuration version must be "+
			"greater than old, but %d is not greater than %d for replica set %s", version, have, s.Name)
	}
	s.Reconfigure(members)
	s.mu.Lock()
	s.setVersion, s.given = max(s.setVersion, version), settings
	s.mu.Unlock()
	return reply.OK(), nil
}

// readMembers reads the members of a configuration.
func (s *Set) readMembers(config bson.Raw) ([]Member, error) {
	invalid := func(format string, args ...any) error {
		return status.Errorf(errcode.InvalidReplicaSetConfig, format, args...)
	}
	if name, _ := config.Lookup("_id").StringOK(); name != s.Name {
		return nil, status.Errorf(errcode.NewReplicaSetConfigurationIncompatible,
			"New and old configurations differ in replica set name; old was %s, and new is %s", s.Name, name)
	}
	var list []Member
	electable := 0
	seen := map[int]bool{}
	for _, doc := range call.Documents(config.Lookup("members")) {
		host, _ := doc.Lookup("host").StringOK()
		node := s.nodeAt(host)
		id, isNumber := doc.Lookup("_id").AsInt64OK()
		switch {
		case !isNumber:
			return nil, status.Errorf(errcode.NoSuchKey, "Missing expected field \"_id\"")
		case node < 0:
			return nil, status.Errorf(errcode.NodeNotFound, "Quorum check failed because not enough voting nodes responded; "+
				"%s does not respond: a deployment of mongotest has only its own nodes", host)
		case seen[node]:
			return nil, invalid("Found two member configurations with same host field, members.%d.host == %s", id, host)
		case int(id) != node:
			return nil, status.Errorf(errcode.NewReplicaSetConfigurationIncompatible, "New and old configurations both have members with "+
				"host of %s but in the new configuration the _id field is %d and in the old configuration it is %d for replica set %s",
				host, id, node, s.Name)
		}
		seen[node] = true
		m := readMember(doc, node)
		if m.Priority > 0 && !m.Arbiter {
			electable++
		}
		if m.Hidden && m.Priority > 0 {
			return nil, invalid("priority must be 0 when hidden=true")
		}
		list = append(list, m)
	}
	switch {
	case len(list) == 0:
		return nil, invalid("Replica set configuration must contain at least one member")
	case electable == 0:
		return nil, invalid("Replica set configuration must contain at least one non-arbiter member with priority > 0")
	}
	return list, nil
}

func readMember(doc bson.Raw, node int) Member {
	m := Member{Node: node, Priority: 1}
	m.Hidden, _ = doc.Lookup("hidden").AsBoolOK()
	m.Arbiter, _ = doc.Lookup("arbiterOnly").AsBoolOK()
	if p, ok := doc.Lookup("priority").AsFloat64OK(); ok {
		m.Priority = int(p)
		if p > 0 && m.Priority == 0 {
			m.Priority = 1
		}
	}
	tags, _ := doc.Lookup("tags").DocumentOK()
	for name, v := range tags.All() {
		if m.Tags == nil {
			m.Tags = map[string]string{}
		}
		m.Tags[name], _ = v.StringOK()
	}
	return m
}

// nodeAt returns the number of the node with an address, or -1.
func (s *Set) nodeAt(host string) int {
	for i, p := range s.Processes {
		if p.Address() == host {
			return i
		}
	}
	return -1
}

// RunSyncFrom checks that the node can sync from the named member.
func (s *Set) RunSyncFrom(c *call.Call, node int) (bson.Raw, error) {
	host, ok := c.Value().StringOK()
	if !ok {
		return nil, status.WrongType(c.Name+"."+c.Name, c.Value(), "string")
	}
	switch role, _ := s.RoleOf(node); {
	case role == Primary:
		return nil, status.Errorf(errcode.NotSecondary, "primaries don't sync")
	case role == Arbiter:
		return nil, status.Errorf(errcode.NotSecondary, "arbiters don't sync")
	}
	switch target := s.nodeAt(host); {
	case target == node:
		return nil, status.Errorf(errcode.InvalidOptions, "I cannot sync from myself")
	case target < 0:
		return nil, status.Errorf(errcode.NodeNotFound, "Could not find member \"%s\" in replica set", host)
	}
	return reply.New().String("syncFromRequested", host).String("prevSyncTarget", "").Done(), nil
}

// RunMaintenance refuses what a primary cannot do.
func (s *Set) RunMaintenance(c *call.Call, node int) (bson.Raw, error) {
	role, _ := s.RoleOf(node)
	switch {
	case role == Primary:
		return nil, status.Errorf(errcode.NotSecondary, "primaries can't modify maintenance mode")
	case !c.Flag(c.Name):
		return nil, status.Errorf(errcode.OperationFailed, "already out of maintenance mode")
	}
	return nil, status.Errorf(errcode.CommandNotSupported, "members of mongotest have no maintenance mode")
}

// RunResizeOplog checks the size and ignores it: the oplog is in memory and has its own limits.
func (s *Set) RunResizeOplog(c *call.Call) (bson.Raw, error) {
	size, has := c.Body.Lookup("size").AsFloat64OK()
	if has && size < 990 {
		return nil, status.Errorf(errcode.Code(51024), "BSON field 'size' value must be >= 990, actual value '%g'", size)
	}
	if hours, ok := c.Body.Lookup("minRetentionHours").AsFloat64OK(); ok && hours < 0 {
		return nil, status.Errorf(errcode.Code(51024), "BSON field 'minRetentionHours' value must be >= 0, actual value '%g'", hours)
	}
	return reply.OK(), nil
}
