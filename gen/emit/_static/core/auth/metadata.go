package auth

import "strconv"

// FaaS describes a function-as-a-service environment in the client metadata. A nil or empty field is left out; when
// Name is empty, all are.
type FaaS struct {
	Name                 string
	TimeoutSec, MemoryMB *int32
	Region               string
}

// DetectFaaS recognises the environment by its variables.
//
// Specification: mongodb-handshake/handshake.md, "FaaS".
func DetectFaaS(getenv func(string) string) FaaS {
	f := FaaS{Name: faasName(getenv)}
	f.fill(getenv)
	return f
}

// int32Variable parses a number, or returns nil when the value is not one.
func int32Variable(value string) *int32 {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return nil
	}
	return new(int32(n))
}

// Container describes a container in the client metadata. An empty field is left out.
type Container struct {
	Runtime, Orchestrator string
}

// DetectContainer recognises a container by its variables and files; exists reports whether a file exists.
//
// Specification: mongodb-handshake/handshake.md, "Container".
func DetectContainer(getenv func(string) string, exists func(path string) bool) Container {
	var c Container
	if exists(ContainerFile) {
		c.Runtime = ContainerRuntime
	}
	if getenv(ContainerVariable) != "" {
		c.Orchestrator = ContainerOrchestrator
	}
	return c
}
