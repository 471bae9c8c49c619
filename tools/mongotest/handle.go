package mongotest

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// handle answers one command. An error means that the connection is dropped.
func (d *Deployment) handle(r *request) (bson.Raw, error) {
	r.begin()
	defer r.end()
	d.recorder.add(r)
	return d.next(r)
}

// next answers a command, or goes on with a stream of answers: a test can intercept each.
func (d *Deployment) next(r *request) (bson.Raw, error) {
	if reply, ok, err := d.controls.intercept(r); ok {
		return reply, err
	}
	body, err := d.execute(r)
	if errors.Is(err, errDrop) {
		return nil, err
	}
	if err != nil {
		return d.errorReply(r, status.From(err)), nil
	}
	r.exhaust = r.exhaustAllowed && d.streams(r, body)
	return d.finish(r, body), nil
}

// streams reports whether a command that allows it is answered once more.
func (d *Deployment) streams(r *request, reply bson.Raw) bool {
	switch r.name {
	case "hello", "isMaster", "ismaster":
		return wire.StreamingHello.In(d.config.wireVersion)
	case "getMore":
		id, _ := reply.Lookup("cursor", "id").AsInt64OK()
		return id != 0 && (!d.isRouter() || wire.MongosExhaust.In(d.config.wireVersion))
	}
	return false
}

// execute runs the checks that every command passes, in the order in which a server makes them, and then the command.
func (d *Deployment) execute(r *request) (bson.Raw, error) {
	if err := d.checkMessage(r); err != nil {
		return nil, err
	}
	command, known := commandTable()[r.name]
	if !known || d.config.wireVersion < command.since || testCommands[r.name] && !d.config.enabled("enableTestCommands") {
		return nil, noSuchCommand(r.name)
	}
	if err := d.checkAPIVersion(r, command); err != nil {
		return nil, err
	}
	if err := d.checkAuthenticated(r, command); err != nil {
		return nil, err
	}
	if err := d.data.hear(r); err != nil {
		return nil, err
	}
	if err := d.openSession(r, command); err != nil {
		return nil, err
	}
	if err := r.checkReadPreference(); err != nil {
		return nil, err
	}
	fails := !command.any(neverFails)
	if fails {
		if err := r.node.failPoints.apply(r); err != nil {
			return nil, err
		}
	}
	if err := d.checkState(r, command); err != nil {
		return nil, err
	}
	if err := r.checkReadConcern(); err != nil {
		return nil, err
	}
	if err := r.checkWriteConcern(command); err != nil {
		return nil, err
	}
	body, err := d.runOnce(r, command)
	if err != nil || !fails {
		return body, err
	}
	if after := r.node.failPoints.applyAfter(r); after != nil {
		body = d.withWriteConcernError(r, body, after)
	}
	return body, nil
}

// testCommands are the commands that a server has only for tests.
var testCommands = map[string]bool{"configureFailPoint": true, "testVersion2": true, "testDeprecationInVersion2": true}

// checkMessage refuses what only newer messages, or only older ones, may carry.
func (d *Deployment) checkMessage(r *request) error {
	if !r.legacy {
		if r.field("$db").Type != bsontype.String {
			return status.Errorf(errcode.Location40571, "OP_MSG requests require a $db argument")
		}
		return nil
	}
	name := r.name
	if !r.isCommand {
		name = "find"
	}
	if r.isCommand && (!d.wireAtLeast("5.1") || legacyCommands[name]) {
		return nil
	}
	return status.Errorf(errcode.UnsupportedOpQueryCommand,
		"Unsupported OP_QUERY command: %s. The client driver may require an upgrade. "+
			"For more details see https://dochub.mongodb.org/core/legacy-opcode-removal", name)
}

// legacyCommands are the commands that servers from 5.1 on still take in an OP_QUERY. Left out: queries of collections,
// which older servers answer.
var legacyCommands = map[string]bool{
	"hello": true, "isMaster": true, "ismaster": true, "buildInfo": true, "buildinfo": true, "authenticate": true,
	"saslStart": true, "saslContinue": true,
}
