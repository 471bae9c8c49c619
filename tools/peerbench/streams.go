package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"text/tabwriter"
	"time"
)

// streamFigures are what one driver achieves.
type streamFigures struct {
	Speed  float64 `json:"speed"`  // units a second
	CPU    float64 `json:"cpuNs"`  // for a unit
	Memory float64 `json:"memory"` // megabytes that are in use, at most
	Fewer  float64 `json:"memoryOfFewer,omitempty"`
}

// stream is the outcome of a streamTask.
type stream struct {
	Task        string        `json:"task"`
	Unit        string        `json:"unit"`
	Goal        float64       `json:"goal"`
	Official    streamFigures `json:"official"`
	Onion       streamFigures `json:"onion"`
	Ratio       float64       `json:"ratio"`
	Interval    interval      `json:"interval"`
	CPURatio    float64       `json:"cpuRatio"`
	CPUInterval interval      `json:"cpuInterval"`
	Bare        streamFigures `json:"bare,omitzero"`    // of bare sockets, where they can do the same
	Reason      string        `json:"reason,omitempty"` // why the goal is missed
}

const (
	// streamRounds is how often each driver takes its two turns.
	streamRounds = 4
)

// measureStreams measures every stream that the pattern selects.
func measureStreams(s settings, progress func(stream)) (list []stream, err error) {
	server, err := startServer("streams")
	if err != nil {
		return nil, err
	}
	p := &peers{server: server}
	if err := p.connect(nil, nil); err != nil {
		return nil, err
	}
	defer p.close()
	for _, t := range streamTasks() {
		if !s.pattern.MatchString(t.name) {
			continue
		}
		measured, err := measureStream(p, t)
		if err != nil {
			return list, fmt.Errorf("%s: %w", t.name, err)
		}
		list = append(list, measured)
		progress(measured)
	}
	return list, nil
}

func measureStream(p *peers, t streamTask) (s stream, err error) {
	run := func(do func(*peers, int) error, units int) func(int) {
		return func(n int) {
			for range n {
				if e := do(p, units); e != nil && err == nil {
					err = e
				}
			}
		}
	}
	whole := task{sides: []side{{name: "official", run: run(t.official, t.units)}, {name: "onion", run: run(t.ours, t.units)}}}
	if t.bare != nil {
		whole.sides = append(whole.sides, side{name: "bare", run: run(t.bare, t.units)})
	}
	for i := range whole.sides {
		whole.sides[i].run(1) // opens connections and compiles plans
	}
	r := newRounds(len(whole.sides))
	for range streamRounds {
		r.runLong(whole)
		if err != nil {
			return s, err
		}
	}
	units := float64(t.units) * t.size
	theirs, ours := r.result(0, false), r.result(1, false)
	s = stream{
		Task: t.name, Unit: t.unit, Goal: t.goal, Ratio: ours.Ratio, Interval: ours.Interval,
		CPURatio: ours.CPURatio, CPUInterval: ours.CPUInterval,
		Official: streamFigures{Speed: units / theirs.Nanoseconds * 1e9, CPU: theirs.CPU / units},
		Onion:    streamFigures{Speed: units / ours.Nanoseconds * 1e9, CPU: ours.CPU / units},
	}
	if t.bare != nil {
		bare := r.result(2, false)
		s.Bare = streamFigures{Speed: units / bare.Nanoseconds * 1e9, CPU: bare.CPU / units}
	}
	if s.Ratio < s.Goal {
		s.Reason = t.reason
	}
	s.Official.Memory, s.Onion.Memory = measurePeak(run(t.official, t.units)), measurePeak(run(t.ours, t.units))
	if t.fewer > 0 {
		s.Official.Fewer, s.Onion.Fewer = measurePeak(run(t.official, t.fewer)), measurePeak(run(t.ours, t.fewer))
	}
	return s, err
}

// measurePeak returns how many megabytes are in use at most while something runs, beyond what is in use before: what each
// garbage collection finds alive. Collections are frequent meanwhile.
func measurePeak(run func(n int)) (megabytes float64) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	before := liveHeap()
	done, ended := make(chan struct{}), make(chan float64)
	go func() {
		most := before
		every := time.NewTicker(time.Millisecond)
		defer every.Stop()
		for {
			most = max(most, liveHeap())
			select {
			case <-done:
				ended <- most
				return
			case <-every.C:
			}
		}
	}()
	run(1)
	close(done)
	return max(0, <-ended-before) / 1e6
}

// liveHeap returns what the last garbage collection left.
func liveHeap() float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

func printStreams(w io.Writer, list []stream) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "Long streams and large bulks, against a server that costs little; memory in use at most, in MB, and with less data")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tunit\tofficial/s\tCPU ns\tMB\tless\tonion/s\tCPU ns\tMB\tless\ttimes\t95 %\tCPU times\t95 %\tgoal\t")
	for _, s := range list {
		fmt.Fprintf(table, "%s\t%s\t", s.Task, s.Unit)
		for _, f := range []streamFigures{s.Official, s.Onion} {
			fmt.Fprintf(table, "%.0f\t%.0f\t%.1f\t%.1f\t", f.Speed, f.CPU, f.Memory, f.Fewer)
		}
		fmt.Fprintf(table, "%.2fx\t%.2f-%.2f\t%.2fx\t%.2f-%.2f\t%s\t\n", s.Ratio, s.Interval.Low, s.Interval.High,
			s.CPURatio, s.CPUInterval.Low, s.CPUInterval.High, verdictOf(s.Goal, s.Ratio, s.Interval))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range list {
		if s.Reason != "" {
			fmt.Fprintf(w, "%s, %.2fx for a goal of %gx: %s", s.Task, s.Ratio, s.Goal, s.Reason)
			if s.Bare.Speed > 0 {
				fmt.Fprintf(w, "; bare sockets do %.2fx the official driver's, with %.2fx less processor time",
					s.Bare.Speed/s.Official.Speed, s.Official.CPU/s.Bare.CPU)
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}
