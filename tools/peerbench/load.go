package main

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// loadTick is the unit of processor time in /proc.
const loadTick = 10 * time.Millisecond

// startedServers are the processes of the servers. What they use is no load of others.
var startedServers struct {
	sync.Mutex
	pids []int
}

func rememberServer(pid int) {
	startedServers.Lock()
	defer startedServers.Unlock()
	startedServers.pids = append(startedServers.pids, pid)
}

// startOtherLoad starts to measure what other processes, and other machines on the same hardware, take of the processors. The
// function that it returns gives this as a part of all processors, or 0 where there is no /proc.
func startOtherLoad() func() float64 {
	began, busy, own := time.Now(), busyTime(), ownProcessorTime()
	return func() float64 {
		all := time.Since(began) * time.Duration(runtime.NumCPU())
		return max(0, float64(busyTime()-busy-(ownProcessorTime()-own))/float64(all))
	}
}

// busyTime returns the processor time that the machine has used, with what was stolen from it.
func busyTime() time.Duration {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return busyOf(string(line))
}

// busyOf sums up a line "cpu user nice system idle iowait irq softirq steal ...".
func busyOf(line string) (busy time.Duration) {
	const idle, wait, last = 4, 5, 8
	for i, field := range strings.Fields(line) {
		n, err := strconv.Atoi(field)
		if err == nil && i != idle && i != wait && i <= last {
			busy += time.Duration(n) * loadTick
		}
	}
	return busy
}

// ownProcessorTime returns the processor time of this process and its servers.
func ownProcessorTime() time.Duration {
	startedServers.Lock()
	defer startedServers.Unlock()
	sum := cpuTime()
	for _, pid := range startedServers.pids {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil {
			sum += processTimeOf(string(data))
		}
	}
	return sum
}

// processTimeOf reads the fields utime and stime of /proc/PID/stat. The name of the program before them may hold spaces.
func processTimeOf(stat string) (used time.Duration) {
	const user, system = 11, 12 // counted after the name
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	for _, i := range []int{user, system} {
		if i < len(fields) {
			n, _ := strconv.Atoi(fields[i])
			used += time.Duration(n) * loadTick
		}
	}
	return used
}
