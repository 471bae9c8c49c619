package conn

import "github.com/specdrivers/onion/generated/core/authtable"

// container describes a container in the client metadata. An empty field is left out.
type container struct {
	runtime, orchestrator string
}

// detectContainer recognises a container by its variables and files; exists reports whether a file exists.
//
// Specification: mongodb-handshake/handshake.md, "Container".
func detectContainer(getenv func(string) string, exists func(path string) bool) container {
	var c container
	if exists(authtable.ContainerFile) {
		c.runtime = authtable.ContainerRuntime
	}
	if getenv(authtable.ContainerVariable) != "" {
		c.orchestrator = authtable.ContainerOrchestrator
	}
	return c
}
