package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// idleVariable tells this program to be an idle client of one driver.
const idleVariable = "PEERBENCH_IDLE"

// The phases of an idle client, and how often its monitors hear from each server.
const (
	idleSettles   = 5 * time.Second
	idleTime      = 15 * time.Second
	idleHeartbeat = 500 * time.Millisecond
	idleServers   = 3
)

// idleFigures are what an idle client costs.
type idleFigures struct {
	Bytes      float64 `json:"bytes"` // of heap and stacks
	Goroutines float64 `json:"goroutines"`
	Switches   float64 `json:"switches"` // how often a thread of the process went to sleep, and was woken
}

// measureIdle measures a client of a replica set with three members that does nothing, in a process of its own.
func measureIdle() ([]scenario, error) {
	s, err := startServer("replica")
	if err != nil {
		return nil, err
	}
	defer s.input.Close()
	uri := s.uri(fmt.Sprintf("heartbeatFrequencyMS=%d", idleHeartbeat.Milliseconds()))
	figures, err := idleClients(uri, "none", "bare", "official", "onion")
	if err != nil {
		return nil, err
	}
	none, bare, theirs, ours := figures["none"], figures["bare"], figures["official"], figures["onion"]
	// Each server sends a hello and is measured once for each heartbeat.
	heard := float64(2 * idleServers * int(idleTime/idleHeartbeat))
	const of = "idle client of three servers: "
	least := (bare.Switches - none.Switches) / heard
	return []scenario{
		{Name: of + "memory", Unit: "KB", Official: (theirs.Bytes - none.Bytes) / 1e3, Onion: (ours.Bytes - none.Bytes) / 1e3, Goal: 0.5},
		{Name: of + "goroutines", Official: theirs.Goroutines - none.Goroutines, Onion: ours.Goroutines - none.Goroutines, Goal: 0.5},
		{Name: of + "wake-ups of a thread per hello or round trip", Official: (theirs.Switches - none.Switches) / heard,
			Onion: (ours.Switches - none.Switches) / heard},
		{Name: of + fmt.Sprintf("the same, over the %.2f of bare sockets", least), Unit: "times", Most: idleGoal,
			Official: (theirs.Switches - none.Switches) / heard / least, Onion: (ours.Switches - none.Switches) / heard / least},
	}, nil
}

// idleGoal is how many more wake-ups there may be than bare sockets need for the same hellos and round trips.
const idleGoal = 1.1

// idleClients runs an idle client of each driver, all at the same time, each in a process of its own.
func idleClients(uri string, drivers ...string) (map[string]idleFigures, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	figures, failed := make([]idleFigures, len(drivers)), make([]error, len(drivers))
	var wg sync.WaitGroup
	for i, driver := range drivers {
		wg.Go(func() {
			c := exec.Command(self)
			c.Env = append(os.Environ(), idleVariable+"="+driver+" "+uri)
			out, err := c.Output()
			if err == nil {
				err = json.Unmarshal(out, &figures[i])
			}
			if err != nil {
				failed[i] = fmt.Errorf("an idle client of %s: %w", driver, err)
			}
		})
	}
	wg.Wait()
	named := map[string]idleFigures{}
	for i, driver := range drivers {
		named[driver] = figures[i]
	}
	return named, errors.Join(failed...)
}

// beIdle runs the program as an idle client.
func beIdle(driver, uri string) error {
	switch driver {
	case "none":
	case "bare":
		if err := listenBare(uri); err != nil {
			return err
		}
	default:
		c, err := openOne(driver, uri, nil)
		if err != nil {
			return err
		}
		defer c.close()
		if err := c.ping(context.Background()); err != nil {
			return err
		}
	}
	time.Sleep(idleSettles)
	debug.FreeOSMemory()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		return err
	}
	time.Sleep(idleTime)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		return err
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return json.NewEncoder(os.Stdout).Encode(idleFigures{
		Bytes: float64(m.HeapAlloc + m.StackInuse), Goroutines: float64(runtime.NumGoroutine()),
		Switches: float64(after.Nvcsw - before.Nvcsw),
	})
}
