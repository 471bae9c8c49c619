package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// memoryVariable tells this program to be a service that uses one driver, and to say how much memory it takes.
const memoryVariable = "PEERBENCH_MEMORY"

// The service: its pool, the goroutines that use it, for how long, and how many more clients and idle pools it opens.
const (
	memoryPool       = 200
	memoryGoroutines = 10_000
	memoryClients    = 20
	memorySample     = 20 * time.Millisecond
)

// memoryFigures are what a service takes, in bytes. Live memory is what a collection leaves of the heap.
type memoryFigures struct {
	Client      float64 `json:"client"`      // one that has done an operation, live
	Connection  float64 `json:"connection"`  // an idle one in the pool, live
	Rest        float64 `json:"rest"`        // a client with its whole pool, idle, live
	Load        float64 `json:"load"`        // all goroutines at work: the median of what Go has taken from the system
	LoadLive    float64 `json:"loadLive"`    // the same: what collections left, and stacks
	After       float64 `json:"after"`       // idle again, live
	Allocations float64 `json:"allocations"` // of an operation under load
	Bytes       float64 `json:"bytes"`       // that an operation allocates
	InFlight    float64 `json:"inFlight"`    // an operation that waits for its reply, live, with its goroutine's stack
}

// memoryGoal is the part of the official driver's memory that Onion's may have.
const memoryGoal = 0.5

// measureMemory runs a service of each driver, and one of bare sockets, one after the other.
func measureMemory(load time.Duration) (list []scenario, err error) {
	s, err := startServer("slow")
	if err != nil {
		return nil, err
	}
	defer s.input.Close()
	figures := map[string]memoryFigures{}
	for _, driver := range []string{"bare", "official", "onion", "onion again"} {
		if figures[driver], err = runService(strings.TrimSuffix(driver, " again"), s.uri(""), load); err != nil {
			return nil, fmt.Errorf("a service of %s: %w", driver, err)
		}
	}
	return memoryScenarios(figures), nil
}

func runService(driver, uri string, load time.Duration) (f memoryFigures, err error) {
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %v %s", memoryVariable, driver, load, uri))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(out, &f)
}

// memoryScenarios compares the drivers. The names say what bare sockets take with as many goroutines, and what a second
// process with Onion takes, which is the null test.
func memoryScenarios(of map[string]memoryFigures) (list []scenario) {
	const service = "service with 10,000 goroutines and 200 connections, "
	for _, m := range []struct {
		name, unit string
		size, goal float64
		get        func(memoryFigures) float64
	}{
		{"a client, live", "KB", 1e3, 0, func(f memoryFigures) float64 { return f.Client }},
		{"an idle connection, live", "KB", 1e3, 0, func(f memoryFigures) float64 { return f.Connection }},
		{"an operation of many at once, with its stack, live", "KB", 1e3, 0, func(f memoryFigures) float64 { return f.InFlight }},
		{"allocations of an operation", "", 1, 0, func(f memoryFigures) float64 { return f.Allocations }},
		{"bytes that an operation allocates", "B", 1, 0, func(f memoryFigures) float64 { return f.Bytes }},
		{service + "at rest, live", "MB", 1e6, memoryGoal, func(f memoryFigures) float64 { return f.Rest }},
		{service + "at load, live with stacks", "MB", 1e6, memoryGoal, func(f memoryFigures) float64 { return f.LoadLive }},
		{service + "at load, taken from the system", "MB", 1e6, memoryGoal, func(f memoryFigures) float64 { return f.Load }},
		{service + "at rest after it, live", "MB", 1e6, memoryGoal, func(f memoryFigures) float64 { return f.After }},
	} {
		value := func(driver string) float64 { return m.get(of[driver]) / m.size }
		list = append(list, scenario{
			Name: fmt.Sprintf("memory: %s (bare sockets %.2f, Onion again %.2f)", m.name, value("bare"), value("onion again")),
			Unit: m.unit, Official: value("official"), Onion: value("onion"), Goal: m.goal,
		})
	}
	return list
}
