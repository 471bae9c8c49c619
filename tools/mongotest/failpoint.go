package mongotest

import (
	"time"

	"github.com/specdrivers/onion/bson"
)

// FailPoint describes a failCommand: which commands it affects, and what happens to them.
type FailPoint struct {
	Commands []string // their names; nil for all
	Times    int      // how often it acts; 0 for until [Deployment.EndFail]
	Skip     int      // how many commands pass before it acts; it then acts until EndFail
	AppName  string   // the application name of the clients that it affects; empty for all

	Code            int           // the error that the commands fail with, 0 for none
	Labels          []string      // of the error; nil lets the server add its own
	CloseConnection bool          // close the connection instead of answering
	Block           time.Duration // how long the commands wait first

	// WriteConcernCode is the code of a write concern error. The command runs, and its reply has the error.
	WriteConcernCode int
}

// Fail switches on a fail point on every node. A node has one at a time, so a new one replaces the old one.
func (d *Deployment) Fail(f FailPoint) error {
	data := bson.D{}
	add := func(set bool, name string, value any) {
		if set {
			data = append(data, bson.E{Key: name, Value: value})
		}
	}
	add(f.Commands != nil, "failCommands", f.Commands)
	add(f.Commands == nil, "failAllCommands", true)
	add(f.AppName != "", "appName", f.AppName)
	add(f.Code != 0, "errorCode", int32(f.Code))
	add(f.Labels != nil, "errorLabels", f.Labels)
	add(f.CloseConnection, "closeConnection", true)
	add(f.Block > 0, "blockConnection", true)
	add(f.Block > 0, "blockTimeMS", f.Block.Milliseconds())
	add(f.WriteConcernCode != 0, "writeConcernError", bson.Doc("code", int32(f.WriteConcernCode), "errmsg", "failCommand"))
	mode := any("alwaysOn")
	switch {
	case f.Times > 0:
		mode = bson.Doc("times", int32(f.Times))
	case f.Skip > 0:
		mode = bson.Doc("skip", int32(f.Skip))
	}
	return d.runOnAllNodes(bson.Doc("configureFailPoint", "failCommand", "mode", mode, "data", data))
}

// EndFail switches failCommand off on every node.
func (d *Deployment) EndFail() error {
	return d.runOnAllNodes(bson.Doc("configureFailPoint", "failCommand", "mode", "off"))
}

func (d *Deployment) runOnAllNodes(command bson.D) error {
	for i := range d.cluster.Nodes {
		if err := d.SetFailPoint(i, command); err != nil {
			return err
		}
	}
	return nil
}
