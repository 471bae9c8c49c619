package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// workVariable tells this program to work for another one, which compares revisions of the driver.
const workVariable = "PEERBENCH_WORK"

// order is what a worker is asked to do with a task: to say how long an iteration takes when it is warm (Turn is 0), or to
// take a turn of that many iterations.
type workOrder struct {
	Task string        `json:"task"`
	Turn int           `json:"turn"`
	Time time.Duration `json:"time"` // of a turn, to be warm for
}

// workDone is what one iteration took, in nanoseconds. A turn counts processor time, warming up the clock's.
type workDone struct {
	Took        float64 `json:"took"`
	Allocations float64 `json:"allocations"` // counted when it warms up
	Failed      string  `json:"failed"`
}

// work says which tasks there are, and does what it is asked until there is nothing more to read. Only the last side of a
// task runs: this driver.
func work(tasks []task, in io.Reader, out io.Writer) error {
	known, names := map[string]task{}, []string{}
	for _, t := range tasks {
		known[t.name], names = t, append(names, t.name)
	}
	say, hear := json.NewEncoder(out), json.NewDecoder(in)
	if err := say.Encode(names); err != nil {
		return err
	}
	for {
		var o workOrder
		if err := hear.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		done := workDone{Failed: fmt.Sprintf("there is no task %q", o.Task)}
		if t, ok := known[o.Task]; ok {
			done = o.carryOut(t)
		}
		if err := say.Encode(done); err != nil {
			return err
		}
	}
}

func (o workOrder) carryOut(t task) (done workDone) {
	own := t.sides[len(t.sides)-1]
	if o.Turn == 0 {
		done.Took = warmTime(own, o.Time)
		done.Allocations, _ = allocations(own)
		return done
	}
	runtime.GC()
	own.run(max(1, t.least, o.Turn/8)) // the collection has emptied the caches
	_, cpu := timed(own, o.Turn, t.computes)
	return workDone{Took: cpu / float64(o.Turn)}
}
