package discovery

import (
	"errors"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/tools/suite"
)

// touchHello notes the row that classified a reply. Two rows give RSOther.
func touchHello(t description.ServerType, hidden bool) {
	row := t.String()
	if t == description.RSOther && hidden {
		row += " hidden"
	}
	suite.Touch("hello", row)
}

func touchTransition(topology description.TopologyType, server description.ServerType) {
	suite.Touch("transitions", topology.String()+"/"+server.String())
}

// touchError notes the row of an application error.
func touchError(topology description.TopologyType, when When, err error) {
	row := "AfterHandshake"
	if when == BeforeHandshake {
		row = "BeforeHandshake"
	}
	row += "/" + cause(err)
	if topology == description.LoadBalanced {
		row += " load balanced"
	}
	suite.Touch("server-errors", row)
}

func cause(err error) string {
	if e, ok := errors.AsType[fault.CommandError](err); ok {
		switch {
		case e.Code.IsShutdown():
			return "NodeShutdown"
		case e.Code.IsRecovering():
			return "NodeRecovering"
		case e.Code.IsNotWritablePrimary():
			return "NotWritablePrimary"
		}
	}
	switch {
	case fault.HasErrorLabel(err, fault.LabelSystemOverloadedError):
		return "Overloaded"
	case !fault.IsNetworkError(err):
		return "Command"
	case fault.IsTimeout(err):
		return "NetworkTimeout"
	}
	return "Network"
}
