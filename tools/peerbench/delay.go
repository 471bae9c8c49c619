package main

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// delay compares the drivers over a slow link.
type delay struct {
	Task      string   `json:"task"`
	RoundTrip float64  `json:"roundTripMs"` // as bare sockets measure it
	Official  float64  `json:"officialMs"`
	Onion     float64  `json:"onionMs"`
	Exhaust   float64  `json:"exhaustMs,omitempty"` // Onion's, with an exhaust cursor
	Ratio     float64  `json:"ratio"`
	Interval  interval `json:"interval"`
	Link      float64  `json:"link"` // the part of the link that Onion uses, at best with an exhaust cursor
	Bytes     float64  `json:"bytes"`
	Null      float64  `json:"null"` // the greater of Onion's two turns divided by the other one, the median of the rounds
}

// The goals: a multiple of the official driver's speed, or that part of the link.
const (
	delayGoal = 1.5
	linkGoal  = 0.9
	// delayNull is how much Onion's turns may differ.
	delayNull = 1.15
)

var roundTrips = []time.Duration{500 * time.Microsecond, 5 * time.Millisecond}

func (d delay) goal() string {
	best := max(d.Ratio, d.Official/max(d.Onion, 1e-9))
	if d.Exhaust > 0 {
		best = max(best, d.Official/d.Exhaust)
	}
	switch {
	case d.Link >= linkGoal:
		return fmt.Sprintf("%.0f %% of the link", 100*linkGoal)
	case best >= delayGoal:
		return fmt.Sprintf("%gx", delayGoal)
	case d.Null > delayNull:
		return "void: Onion's turns differ too much"
	}
	return fmt.Sprintf("%gx or %.0f %% of the link, missed", delayGoal, 100*linkGoal)
}

// measureDelay measures every task that the pattern selects, over each link.
func measureDelay(s settings, progress func(delay)) (list []delay, err error) {
	for _, roundTrip := range roundTrips {
		for _, t := range delayTasks() {
			if !s.pattern.MatchString(t.name + ", delay") {
				continue
			}
			d, err := measureOneDelay(t, roundTrip, max(1, s.rounds/13))
			if err != nil {
				return list, fmt.Errorf("%s: %w", t.name, err)
			}
			list = append(list, d)
			progress(d)
		}
	}
	return list, nil
}

func measureOneDelay(t delayTask, roundTrip time.Duration, count int) (d delay, err error) {
	server, err := startServer(fmt.Sprintf("far %v %s", roundTrip, t.server))
	if err != nil {
		return d, err
	}
	p := &peers{server: server, parameters: t.parameters}
	defer server.input.Close()
	dialer := new(countingDialer)
	if t.server != "secure" {
		if err := p.connect(nil, dialer); err != nil {
			return d, err
		}
	}
	defer p.disconnect()
	d = delay{Task: t.name}
	if d.RoundTrip, err = bareRoundTrip(server.address, t.server); err != nil {
		return d, err
	}
	sides := t.makeSides(p, &err)
	for i := range sides {
		sides[i].run(1)
	}
	before := dialer.mostBytes()
	sides[1].run(1)
	d.Bytes = dialer.mostBytes() - before
	r := newRounds(len(sides))
	for range count {
		if r.runOnce(sides); err != nil {
			return d, err
		}
	}
	d.compute(r)
	return d, err
}

// makeSides returns the sides of the task. The first error of one stays in err.
func (t delayTask) makeSides(p *peers, err *error) []side {
	of := func(name string, do func(*peers) error) side {
		return side{name: name, run: func(int) {
			if e := do(p); e != nil && *err == nil {
				*err = fmt.Errorf("%s: %w", name, e)
			}
		}}
	}
	list := []side{of("official", t.official), of("onion", t.ours)}
	if t.exhaust != nil {
		list = append(list, of("exhaust", t.exhaust))
	}
	return list
}

// runOnce adds a round in which each turn does the task once.
func (r *rounds) runOnce(sides []side) {
	round := r.count()
	var taken [8]int
	for i := range sides {
		r.times[i], r.cpu[i] = append(r.times[i], [2]float64{}), append(r.cpu[i], [2]float64{})
	}
	for _, i := range turns(len(sides), round) {
		r.times[i][round][taken[i]], r.cpu[i][round][taken[i]] = measureTime(sides[i], 1, false)
		taken[i]++
	}
}

func (d *delay) compute(r *rounds) {
	milliseconds := func(side int) float64 { return median(sums(r.times[side])) / 2e6 }
	d.Official, d.Onion = milliseconds(0), milliseconds(1)
	d.Ratio, d.Interval = medianInterval(ratios(sums(r.times[0]), sums(r.times[1])))
	fastest := d.Onion
	if len(r.times) > 2 {
		d.Exhaust = milliseconds(2)
		fastest = min(fastest, d.Exhaust)
	}
	d.Link = d.Bytes / linkRate / (fastest / 1e3)
	var null []float64
	for _, turns := range r.times[1] {
		null = append(null, max(turns[0], turns[1])/min(turns[0], turns[1]))
	}
	d.Null = median(null)
}

// bareRoundTrip returns how long a ping takes over the link, in milliseconds, without a driver. A server with TLS is not asked.
func bareRoundTrip(address, server string) (ms float64, err error) {
	if server == "secure" {
		return 0, nil
	}
	nc, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	reply, ping := make([]byte, bareBuffer), pingMessage()
	var took []float64
	for range 20 {
		began := time.Now()
		if err := pingPongOnce(nc, ping, reply); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds()*1e3)
	}
	return median(took), nil
}

func (d delay) describe() string {
	return fmt.Sprintf("%s, round trip %.2f ms: %.0f ms, official %.0f ms", d.Task, d.RoundTrip, d.Onion, d.Official)
}

func printDelays(w io.Writer, list []delay) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "Over a link of 1 Gb/s with a delay, in milliseconds; MB is what the busier direction carries, link its part in use.")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tround trip\tofficial\tonion\texhaust\ttimes\t95 %\tMB\tlink\tnull\tgoal\t")
	var missed []string
	for _, d := range list {
		if strings.HasSuffix(d.goal(), ", missed") {
			missed = append(missed, d.Task)
		}
		exhaust := "-"
		if d.Exhaust > 0 {
			exhaust = fmt.Sprintf("%.1f", d.Exhaust)
		}
		fmt.Fprintf(table, "%s\t%.2f\t%.1f\t%.1f\t%s\t%.2fx\t%.2f-%.2f\t%.1f\t%.0f %%\t%.2f\t%s\t\n", d.Task, d.RoundTrip,
			d.Official, d.Onion, exhaust, d.Ratio, d.Interval.Low, d.Interval.High, d.Bytes/1e6, 100*d.Link, d.Null, d.goal())
	}
	err := table.Flush()
	slices.Sort(missed)
	delayReasons.print(w, slices.Compact(missed))
	return err
}

// delayReasons say what cannot overlap in the tasks that miss their goals.
var delayReasons = reasons{
	{"bulkWrite of a collection", "an ordered bulk sends a run when the one before it has succeeded: 100 round trips"},
	{"GridFS 67 MB up", "each 8 MB wait for their answer while the next are read; two inserts at once would be two sessions"},
	{"GridFS 67 MB down", "a cursor has one getMore at a time, and asks for the next 16 MB when it has given out the last"},
	{"first operation", "the pool opens a connection when the monitor has found the server: nine round trips, one after the other"},
}
