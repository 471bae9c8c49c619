package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/pprof/profile"
)

// whereTime is the processor time for which each side of a task is profiled: 100 samples a second.
const whereTime = 3 * time.Second

// whereTasks selects the tasks whose processor time is broken down.
var whereTasks = regexp.MustCompile(`^(findOne|insertOne|updateOne|insertMany 1000|read 1000 documents), (1|256) goroutines, canned`)

// place is a kind of work that processor time goes into.
type place string

// The places, as the table names them.
const (
	systemCalls place = "system calls"
	scheduler   place = "scheduler"
	collector   place = "collector"
	allocator   place = "allocation"
	locks       place = "locks, channels"
	codec       place = "codec"
	driver      place = "driver"
	other       place = "other"
)

var places = []place{systemCalls, scheduler, collector, allocator, locks, codec, driver, other}

// placeRule says which place a frame belongs to. A rule for the whole stack comes first: a system call that the
// scheduler makes belongs to the scheduler.
type placeRule struct {
	prefix string
	place  place
	whole  bool
}

var placeRules = []placeRule{
	{"runtime.gcBgMarkWorker", collector, true},
	{"runtime.gcAssistAlloc", collector, true},
	{"runtime.bgsweep", collector, true},
	{"runtime.bgscavenge", collector, true},
	{"runtime.gcStart", collector, true},
	{"runtime.(*mspan).sweep", collector, true},
	{"runtime.findRunnable", scheduler, true},
	{"runtime.schedule", scheduler, true},
	{"runtime.mstart", scheduler, true},
	{"runtime.mcall", scheduler, true},
	{"runtime.sysmon", scheduler, true},
	{"runtime.ready", scheduler, true},
	{"runtime.wakep", scheduler, true},
	{"runtime.reentersyscall", scheduler, true},
	{"runtime.exitsyscall", scheduler, true},

	{"internal/runtime/syscall", systemCalls, false},
	{"syscall.", systemCalls, false},
	{"runtime.mallocgc", allocator, false},
	{"runtime.newobject", allocator, false},
	{"runtime.growslice", allocator, false},
	{"runtime.makeslice", allocator, false},
	{"runtime.mapassign", allocator, false},
	{"runtime.lock2", locks, false},
	{"runtime.unlock2", locks, false},
	{"runtime.chan", locks, false},
	{"runtime.selectgo", locks, false},
	{"runtime.sem", locks, false},
	{"sync.", locks, false},
	{"internal/sync.", locks, false},
	{"context.", locks, false},
	{"github.com/specdrivers/onion/bson", codec, false},
	{"go.mongodb.org/mongo-driver/v2/bson", codec, false},
	{"go.mongodb.org/mongo-driver/v2/x/bsonx", codec, false},
	{"reflect.", codec, false},
	{"github.com/specdrivers/onion/", driver, false},
	{"go.mongodb.org/mongo-driver/", driver, false},
	{"internal/poll.", driver, false},
	{"net.", driver, false},
	{"bufio.", driver, false},
}

// placeOf decides by the frames of a sample, the innermost first.
func placeOf(frames []string) place {
	for _, whole := range []bool{true, false} {
		for _, frame := range frames {
			for _, rule := range placeRules {
				if rule.whole == whole && strings.HasPrefix(frame, rule.prefix) {
					return rule.place
				}
			}
		}
	}
	return other
}

// whereRow is the processor time of one side of a task by place, in nanoseconds for each iteration.
type whereRow struct {
	Task  string            `json:"task"`
	Side  string            `json:"side"`
	Total float64           `json:"cpuNs"`
	Parts map[place]float64 `json:"parts"`
}

// profileTasks profiles both sides of the tasks that are broken down. The profiles themselves go into dir, unless it is empty.
func profileTasks(tasks []task, dir string) (rows []whereRow, err error) {
	for _, t := range tasks {
		if !whereTasks.MatchString(t.name) {
			continue
		}
		for _, s := range t.sides {
			row, data, err := profileWhere(s, t.least)
			if err == nil && dir != "" {
				name := strings.NewReplacer(" ", "_", ",", "").Replace(t.name + " " + s.name + ".pprof")
				err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
			}
			if err != nil {
				return nil, err
			}
			row.Task, row.Side = t.name, s.name
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func profileWhere(s side, least int) (row whereRow, raw []byte, err error) {
	row = whereRow{Parts: map[place]float64{}}
	raw, err = profileSide(s, least, func(frames []string, spent float64) {
		row.Parts[placeOf(frames)] += spent
		row.Total += spent
	})
	return row, raw, err
}

// profileSide runs a side under the profiler until it has used whereTime of the processors, or for a while. It reports each
// sample: its frames, the innermost first, and its part of an iteration in nanoseconds.
func profileSide(s side, least int, sample func(frames []string, spent float64)) (raw []byte, err error) {
	n := max(1, least, int(50*time.Millisecond/time.Duration(warmTime(s, 50*time.Millisecond))))
	var data bytes.Buffer
	if err := pprof.StartCPUProfile(&data); err != nil {
		return nil, err
	}
	done := 0
	for began, used := time.Now(), cpuTime(); cpuTime()-used < whereTime && time.Since(began) < 3*whereTime; done += n {
		s.run(n)
	}
	pprof.StopCPUProfile()
	p, err := profile.ParseData(data.Bytes())
	if err != nil {
		return nil, err
	}
	for _, taken := range p.Sample {
		var frames []string
		for _, location := range taken.Location {
			for _, line := range location.Line {
				frames = append(frames, line.Function.Name)
			}
		}
		sample(frames, float64(taken.Value[len(taken.Value)-1])/float64(done))
	}
	return data.Bytes(), nil
}

func printWhere(w io.Writer, rows []whereRow) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w, "Where the processor time goes, in microseconds for each iteration. These runs are long enough for collections;")
	fmt.Fprintln(w, "times is the official driver's total divided by this one's.")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "task\tside\ttotal\ttimes\t")
	for _, p := range places {
		fmt.Fprintf(table, "%s\t", p)
	}
	for _, r := range rows {
		fmt.Fprintf(table, "\n%s\t%s\t%.1f\t%.2fx\t", r.Task, r.Side, r.Total/1e3, timesLonger(rows, r))
		for _, p := range places {
			fmt.Fprintf(table, "%.1f\t", r.Parts[p]/1e3)
		}
	}
	fmt.Fprintln(table)
	return table.Flush()
}

// timesLonger returns how many times longer the official driver takes for the task of a row.
func timesLonger(rows []whereRow, of whereRow) float64 {
	for _, r := range rows {
		if r.Task == of.Task && r.Side == "official" {
			return r.Total / of.Total
		}
	}
	return math.NaN()
}
