package conn

import (
	"os"
	"runtime"
	"strings"

	"github.com/specdrivers/onion/generated/core/authtable"
)

// DriverName and DriverVersion identify the driver to servers.
const (
	DriverName    = "onion"
	DriverVersion = "0.1.0"
)

// DetectEnvironment finds out where the program runs: the operating system, the function-as-a-service environment, and
// the container. getenv reads a variable and exists checks for a file.
func DetectEnvironment(getenv func(string) string, exists func(path string) bool) Environment {
	faas := authtable.DetectFaaS(getenv)
	inside := detectContainer(getenv, exists)
	return Environment{
		Driver:         DriverInfo{Name: DriverName, Version: DriverVersion, Platform: runtime.Version()},
		OSType:         osType(runtime.GOOS),
		OSName:         runtime.GOOS,
		OSArchitecture: runtime.GOARCH,
		FaaS:           faas.Name,
		Region:         faas.Region,
		MemoryMB:       faas.MemoryMB,
		TimeoutSec:     faas.TimeoutSec,
		Runtime:        inside.runtime,
		Orchestrator:   inside.orchestrator,
	}
}

// FileExists implements the exists parameter of DetectEnvironment for the real file system.
func FileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// osType is the name that other drivers use for an operating system: Linux, Darwin, Windows.
func osType(goos string) string {
	if goos == "" {
		return "unknown"
	}
	return strings.ToUpper(goos[:1]) + goos[1:]
}
