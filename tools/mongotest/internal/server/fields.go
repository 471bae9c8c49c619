package server

import "github.com/specdrivers/onion/tools/mongotest/internal/engine"

// takes declares the fields of a command, as engine.Takes does: servers from 5.0 on refuse any other.
func takes(fields ...string) *engine.Fields { return engine.Takes(fields...) }

// takesAtLeast declares the fields of a command of which nothing public says what servers do with any other. A test that
// works with a server must work here, so they are ignored.
func takesAtLeast(fields ...string) *engine.Fields {
	return takes(fields...).Ignoring("nothing public says whether servers refuse them")
}

// takesHello declares the fields of hello and isMaster.
func takesHello() *engine.Fields {
	return takes("client", "compression", "saslSupportedMechs", "speculativeAuthenticate", "helloOk", "loadBalanced", "backpressure",
		"topologyVersion", "maxAwaitTimeMS").Ignoring("drivers announce there what older servers do not know")
}

// takesPlain declares a command that servers read as any document, and not by the rules for commands.
func takesPlain(fields ...string) *engine.Fields {
	return takes(fields...).Ignoring("servers read the command as a plain document")
}
