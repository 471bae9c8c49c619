package server

import (
	"maps"
	"math"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
)

// parameters are the server parameters of a deployment. All nodes share them.
type parameters struct {
	mu     sync.Mutex
	values map[string]any
}

// settable are the parameters that setParameter may change, with their initial values.
var settable = map[string]any{
	"acceptApiVersion2":                            false,
	"cursorTimeoutMillis":                          int64(600_000),
	"diagnosticDataCollectionEnabled":              true,
	admissionBurst:                                 float64(math.MaxInt32),
	admissionEnabled:                               false,
	admissionQueue:                                 int32(0),
	admissionRate:                                  int32(math.MaxInt32),
	"internalQueryMaxAllowedDensifyDocs":           int32(500_000),
	"internalQueryMaxBlockingSortMemoryUsageBytes": int32(100 << 20),
	logComponents:                                  defaultVerbosity(),
	"logLevel":                                     int32(0),
	"maxIndexBuildMemoryUsageMegabytes":            int32(200),
	"maxTransactionLockRequestTimeoutMillis":       int32(5),
	"minSnapshotHistoryWindowInSeconds":            int32(300),
	"notablescan":                                  false,
	"quiet":                                        false,
	"requireApiVersion":                            false,
	"traceExceptions":                              false,
	"transactionLifetimeLimitSeconds":              int32(60),
	"ttlMonitorEnabled":                            true,
	"ttlMonitorSleepSecs":                          int32(1),
}

// fixed are parameters that can only be set at startup.
var fixed = map[string]any{
	"authSchemaVersion":                 int32(authSchemaVersion),
	"authenticationMechanisms":          bson.A{"MONGODB-X509", "SCRAM-SHA-1", "SCRAM-SHA-256"},
	"localLogicalSessionTimeoutMinutes": int32(30),
	"logicalSessionRefreshMillis":       int32(300_000),
	"scramIterationCount":               int32(10_000),
	"scramSHA256IterationCount":         int32(15_000),
}

func newParameters(given map[string]any) *parameters {
	p := &parameters{values: map[string]any{}}
	for _, from := range []map[string]any{settable, fixed, given} {
		maps.Copy(p.values, from)
	}
	return p
}

// copyAll returns a copy of every parameter.
func (p *parameters) copyAll() map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.values)
}

// get returns a parameter, or nil.
func (p *parameters) get(name string) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values[name]
}

// set changes a parameter and returns its former value.
func (p *parameters) set(name string, value any) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.values[name]
	p.values[name] = value
	return old
}

// isEnabled reports whether a parameter is true.
func (p *parameters) isEnabled(name string) bool {
	on, _ := p.get(name).(bool)
	return on
}

// duration reads a parameter that counts units of time. It returns 0 for anything but a positive number.
func (p *parameters) duration(name string, unit time.Duration) time.Duration {
	switch n := p.get(name).(type) {
	case int:
		return max(time.Duration(n), 0) * unit
	case int32:
		return max(time.Duration(n), 0) * unit
	case int64:
		return max(time.Duration(n), 0) * unit
	case float64:
		return max(time.Duration(n), 0) * unit
	}
	return 0
}

// number reads a parameter that is a number, or 0.
func (p *parameters) number(name string) float64 {
	switch n := p.get(name).(type) {
	case int:
		return float64(n)
	case int32:
		return float64(n)
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return 0
}
