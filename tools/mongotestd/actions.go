package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// action is a button of the page and what it does.
type action struct {
	view.Action
	do func(x *pageSource, node int, fields map[string]string) error
}

func (x *pageSource) actions() []action {
	list := []action{
		{view.Action{Name: "restart", Label: "Restart", Hint: "start it again on its old port", Server: true, When: "stopped"},
			func(x *pageSource, node int, _ map[string]string) error { return x.deployment().Restart(node) }},
		{view.Action{Name: "kill", Label: "Kill", Hint: "close its port and cut its connections", Server: true, Danger: true},
			func(x *pageSource, node int, _ map[string]string) error { x.deployment().Kill(node); return nil }},
		{view.Action{Name: "partition", Label: "Partition", Hint: "connections stay open, nothing is answered", Server: true,
			Danger: true, Fields: choiceField("length", "5s", "2s", "5s", "20s", "2m")}, partitionNode},
		{view.Action{Name: "heal", Label: "Heal", Hint: "end the partition", Server: true, When: "partitioned"},
			func(x *pageSource, node int, _ map[string]string) error { x.deployment().Heal(node); return nil }},
		{view.Action{Name: "latency", Label: "Latency", Hint: "wait before every reply", Server: true,
			Fields: choiceField("wait", "50ms", "0s", "5ms", "50ms", "500ms", "5s")}, setLatency},
		{view.Action{Name: "close", Label: "Cut connections", Hint: "it goes on listening", Server: true},
			func(x *pageSource, node int, _ map[string]string) error {
				x.deployment().CloseConnections(node)
				return nil
			}},
	}
	if x.settings.topology == "replicaset" {
		list = append(list,
			action{view.Action{Name: "lag", Label: "Lag", Hint: "lack the last writes while it is a secondary", Server: true,
				Fields: choiceField("writes", "1", "0", "1", "10", "100")}, setLag},
			action{view.Action{Name: "stepdown", Label: "Step down", Hint: "the primary becomes a secondary, and another one is elected"},
				func(x *pageSource, _ int, _ map[string]string) error { x.deployment().StepDown(); return nil }})
	}
	return append(list, action{view.Action{
		Name: "failpoint", Label: "Set", Hint: "configureFailPoint failCommand", Fields: x.failPointFields(),
	}, setFailPoint})
}

// choiceField returns a field with its default and its choices.
func choiceField(name, value string, choices ...string) []view.Field {
	return []view.Field{{Name: name, Label: name, Value: value, Choices: choices}}
}

// Actions returns the buttons of the page.
func (x *pageSource) Actions() []view.Action {
	var list []view.Action
	for _, a := range x.actions() {
		list = append(list, a.Action)
	}
	return list
}

// Act does what a button says.
func (x *pageSource) Act(r view.Request) error {
	for _, a := range x.actions() {
		if a.Name != r.Action {
			continue
		}
		node := -1
		if a.Server {
			nodes := x.deployment().Nodes()
			for i := range nodes {
				if nodes[i].Address == r.Server {
					node = i
				}
			}
			if node < 0 {
				return fmt.Errorf("there is no server %q", r.Server)
			}
			if nodes[node].Stopped != (a.When == "stopped") {
				return fmt.Errorf("%s: the server is not in a state for that", a.Label)
			}
		}
		return a.do(x, node, r.Fields)
	}
	return fmt.Errorf("there is no action %q", r.Action)
}

// maxWait limits the times that a user can enter.
const maxWait = time.Hour

func parseDuration(fields map[string]string, name string) (time.Duration, error) {
	d, err := time.ParseDuration(fields[name])
	if err != nil || d < 0 || d > maxWait {
		return 0, fmt.Errorf("%s is a duration such as 50ms, up to %v", name, maxWait)
	}
	return d, nil
}

func partitionNode(x *pageSource, node int, fields map[string]string) error {
	d, err := parseDuration(fields, "length")
	if err == nil {
		x.deployment().Partition(node, d)
	}
	return err
}

func setLatency(x *pageSource, node int, fields map[string]string) error {
	d, err := parseDuration(fields, "wait")
	if err == nil {
		x.deployment().Latency(node, d)
	}
	return err
}

func setLag(x *pageSource, node int, fields map[string]string) error {
	n, err := strconv.Atoi(fields["writes"])
	if err != nil || n < 0 {
		return errors.New("writes is a number")
	}
	x.deployment().Lag(node, n)
	return nil
}

// The form's names for what a fail point does.
const (
	answerError         = "answer with an error"
	closeConnection     = "close the connection"
	waitFirst           = "wait, then go on"
	reportConcernError  = "report a write concern error"
	everyServer         = "every server"
	modeOff, modeAlways = "off", "always"
)

func (x *pageSource) failPointFields() []view.Field {
	servers := []string{everyServer}
	if d := x.deployment(); d != nil {
		servers = append(servers, d.Hosts()...)
	}
	return []view.Field{
		{Name: "server", Label: "Server", Value: everyServer, Choices: servers},
		{Name: "commands", Label: "Commands", Value: "find,insert"},
		{Name: "effect", Label: "Effect", Value: answerError,
			Choices: []string{answerError, closeConnection, waitFirst, reportConcernError}},
		{Name: "code", Label: "Error", Value: "NotWritablePrimary"},
		{Name: "wait", Label: "Wait", Value: "500ms"},
		{Name: "times", Label: "How often", Value: "1", Choices: []string{modeOff, "1", "2", "5", "20", modeAlways}},
	}
}

// setFailPoint sets failCommand on one server or on all.
func setFailPoint(x *pageSource, _ int, fields map[string]string) error {
	command, err := failCommand(fields)
	if err != nil {
		return err
	}
	done := false
	for i, n := range x.deployment().Nodes() {
		if fields["server"] == everyServer || fields["server"] == n.Address {
			if err := x.deployment().SetFailPoint(i, command); err != nil {
				return err
			}
			done = true
		}
	}
	if !done {
		return fmt.Errorf("there is no server %q", fields["server"])
	}
	return nil
}

func failCommand(fields map[string]string) (bson.D, error) {
	var mode any = bson.Doc("times", 1)
	switch times := fields["times"]; times {
	case modeOff:
		return bson.Doc("configureFailPoint", "failCommand", "mode", "off"), nil
	case modeAlways:
		mode = "alwaysOn"
	default:
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 {
			return nil, errors.New("how often is a number")
		}
		mode = bson.Doc("times", n)
	}
	commands := bson.A{}
	for name := range strings.SplitSeq(fields["commands"], ",") {
		if name = strings.TrimSpace(name); name != "" {
			commands = append(commands, name)
		}
	}
	if len(commands) == 0 {
		return nil, errors.New("name a command, or several with commas between them")
	}
	data := bson.Doc("failCommands", commands)
	effect, err := effectOf(fields)
	if err != nil {
		return nil, err
	}
	return bson.Doc("configureFailPoint", "failCommand", "mode", mode, "data", slices.Concat(data, effect)), nil
}

func effectOf(fields map[string]string) (bson.D, error) {
	switch fields["effect"] {
	case closeConnection:
		return bson.Doc("closeConnection", true), nil
	case waitFirst:
		d, err := parseDuration(fields, "wait")
		return bson.Doc("blockConnection", true, "blockTimeMS", d.Milliseconds()), err
	case reportConcernError:
		code, err := codeOf(fields["code"])
		return bson.Doc("writeConcernError", bson.Doc("code", int32(code), "errmsg", "set on the page")), err
	case answerError:
		code, err := codeOf(fields["code"])
		return bson.Doc("errorCode", int32(code)), err
	}
	return nil, fmt.Errorf("there is no effect %q", fields["effect"])
}

// codeOf returns an error code by its name or number.
func codeOf(text string) (errcode.Code, error) {
	text = strings.TrimSpace(text)
	if code, ok := errcode.ByName(text); ok {
		return code, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is neither the name nor the number of an error", text)
	}
	return errcode.Code(n), nil
}
