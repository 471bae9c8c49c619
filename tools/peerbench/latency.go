package main

import (
	"fmt"
	"time"
)

// latency compares the drivers at one load.
type latency struct {
	Task     string      `json:"task"`
	Pool     int         `json:"pool"`
	Load     float64     `json:"load"` // as a part of what the official driver serves at most
	Rate     float64     `json:"rate"` // requests a second
	Official loopFigures `json:"official"`
	Onion    loopFigures `json:"onion"`
	Null     float64     `json:"null"` // the greater of Onion's two 99.9 % quantiles divided by the other one
}

// knee says how far the drivers go.
type knee struct {
	Task     string  `json:"task"`
	Pool     int     `json:"pool"`
	Official float64 `json:"official"` // requests a second at most, in a closed loop
	Onion    float64 `json:"onion"`
	Bare     float64 `json:"bare"`     // of bare sockets: the machine's limit
	Reached  float64 `json:"reached"`  // the highest load without a knee, as a multiple of Official
	BareEnds float64 `json:"bareEnds"` // the same of bare sockets
}

// latencyReport is the outcome of the part.
type latencyReport struct {
	Loads []latency `json:"loads"`
	Knees []knee    `json:"knees"`
}

const (
	// latencyGoal is the part of the official driver's 99.9 % quantile that Onion's may reach, at the load that counts.
	latencyGoal = 0.5
	goalLoad    = 0.8
	// latencyNull is how much Onion's two turns may differ.
	latencyNull = 2
	// kneeGoal is the load, as a multiple of what the official driver serves at most, up to which there is no knee.
	kneeGoal = 1.8
	// kneeBend is the multiple of its value at the lowest load that the 99 % quantile exceeds beyond a knee.
	kneeBend = 10
)

var (
	latencyLoads = []float64{0.25, 0.5, goalLoad}
	kneeLoads    = []float64{1, 1.2, 1.4, 1.6, kneeGoal, 2}
	latencyPools = []int{10, 100}
)

// goal says whether the load meets its goal.
func (l latency) goal() string {
	switch {
	case l.Load != goalLoad:
		return ""
	case l.Null > latencyNull:
		return "void: Onion's two turns differ too much"
	case l.Onion.P999 > latencyGoal*l.Official.P999:
		return fmt.Sprintf("p99.9 at most %g of official, missed", latencyGoal)
	}
	return fmt.Sprintf("p99.9 at most %g of official", latencyGoal)
}

func (k knee) goal() string {
	switch {
	case k.Reached >= kneeGoal:
		return fmt.Sprintf("no knee before %gx", kneeGoal)
	case k.Bare < kneeGoal*k.Official:
		return fmt.Sprintf("no knee before %gx, missed: bare sockets end at %.1fx on this machine", kneeGoal, k.Bare/k.Official)
	case k.BareEnds < kneeGoal:
		return fmt.Sprintf("no knee before %gx, missed: bare sockets have theirs after %.1fx on this machine", kneeGoal, k.BareEnds)
	}
	return fmt.Sprintf("no knee before %gx, missed", kneeGoal)
}

// requests is a sequence of requests, chosen by their numbers, so that both drivers get the same.
type requests struct {
	name string
	pick func(i int) string // the name of the operation
}

func workloads() []requests {
	always := func(name string) func(int) string { return func(int) string { return name } }
	return []requests{
		{"findOne", always("findOne")},
		{"insertOne", always("insertOne")},
		{"7 findOne, 2 insertOne, 1 updateOne", func(i int) string {
			switch i % 10 {
			case 2, 8:
				return "insertOne"
			case 5:
				return "updateOne"
			}
			return "findOne"
		}},
	}
}

// request returns what request i does with each driver.
func (l requests) request(p *peers) (official, onion func(i int) error) {
	theirs, ours := map[string]func() error{}, map[string]func() error{}
	for _, op := range operations() {
		theirs[op.name] = func() error { return op.official(p) }
		ours[op.name] = func() error { return op.onion(p) }
	}
	return func(i int) error { return theirs[l.pick(i)]() }, func(i int) error { return ours[l.pick(i)]() }
}

// loopTime returns how long a turn at one load takes, by the effort.
func (s settings) loopTime() time.Duration {
	return max(500*time.Millisecond, time.Duration(s.rounds)*100*time.Millisecond)
}

// measureLatency measures every load that the pattern selects, with each pool.
func measureLatency(s settings, progress func(string)) (r *latencyReport, err error) {
	r = new(latencyReport)
	for _, l := range workloads() {
		for _, pool := range latencyPools {
			if !s.pattern.MatchString(fmt.Sprintf("%s, pool of %d, latency", l.name, pool)) {
				continue
			}
			if err := r.measure(l, pool, s.loopTime(), progress); err != nil {
				return r, fmt.Errorf("%s: %w", l.name, err)
			}
		}
	}
	return r, nil
}

func (r *latencyReport) measure(l requests, pool int, turn time.Duration, progress func(string)) error {
	p, err := connectWith("primary", fmt.Sprintf("maxPoolSize=%d", pool))
	if err != nil {
		return err
	}
	defer p.close()
	k := knee{Task: l.name, Pool: pool}
	official, onion := l.request(p)
	k.Official, k.Onion = findSaturation(pool, turn, official), findSaturation(pool, turn, onion)
	sockets, bare, err := bareRequests(p.server, l.pick(0), pool)
	if err != nil {
		return err
	}
	defer sockets.close()
	k.Bare = findSaturation(pool, turn, bare)
	var calm float64
	for _, part := range latencyLoads {
		at, err := measureLoad(official, onion, drawArrivals(part*k.Official, turn))
		if err != nil {
			return err
		}
		at.Task, at.Pool, at.Load, at.Rate = l.name, pool, part, part*k.Official
		r.Loads = append(r.Loads, at)
		progress(at.describe())
		if calm == 0 {
			calm = at.Onion.P99
		}
	}
	if k.BareEnds, err = findKnee(k.Official, kneeBend*calm, turn/2, bare); err != nil {
		return err
	}
	k.Reached, err = findKnee(k.Official, kneeBend*calm, turn/2, onion)
	r.Knees = append(r.Knees, k)
	progress(k.describe())
	return err
}

// measureLoad lets the drivers take their turns in the order A B B A, on the same schedule.
func measureLoad(official, onion func(int) error, schedule []time.Duration) (of latency, err error) {
	if len(schedule) == 0 {
		return of, fmt.Errorf("no request arrives")
	}
	var samples [2]loopSamples
	var tails [2]float64 // of Onion's turns
	figures, do := [2]*loopFigures{&of.Official, &of.Onion}, [2]func(int) error{official, onion}
	for turn, i := range turns(2, 0) {
		s, f, err := runLoop(schedule, do[i])
		if err != nil {
			return of, err
		}
		samples[i].latency, samples[i].late = append(samples[i].latency, s.latency...), append(samples[i].late, s.late...)
		figures[i].Collections += f.Collections
		figures[i].Pauses += f.Pauses
		if i == 1 {
			tails[turn-1] = quantile(s.latency, 0.999)
		}
	}
	of.Official, of.Onion = of.Official.addQuantiles(samples[0]), of.Onion.addQuantiles(samples[1])
	of.Null = max(tails[0], tails[1]) / max(1e-3, min(tails[0], tails[1]))
	return of, nil
}

// findKnee returns the highest of the loads, as a multiple of the rate, before the 99 % quantile exceeds a limit.
func findKnee(rate, limit float64, turn time.Duration, do func(int) error) (reached float64, err error) {
	reached = goalLoad
	for _, part := range kneeLoads {
		s, f, err := runLoop(drawArrivals(part*rate, turn), do)
		if err != nil || f.addQuantiles(s).P99 > limit {
			return reached, err
		}
		reached = part
	}
	return reached, nil
}
