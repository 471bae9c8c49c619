package scenario

import (
	"slices"
	"time"
)

// tidy makes a shrunk scenario short to read: it takes out clients and workers that do nothing, options that do not matter, and the
// time in which nothing happens.
func tidy(s *Scenario, try func(*Scenario) bool) *Scenario {
	keep := func(next *Scenario) {
		if try(next) {
			s = next
		}
	}
	if next := compact(s); len(next.Workers) < len(s.Workers) || len(next.Clients) < len(s.Clients) {
		keep(next)
	}
	if next := trimTime(s); next.World.Length < s.World.Length {
		keep(next)
	}
	for i, c := range s.Clients {
		next := *s
		next.Clients = slices.Clone(s.Clients)
		if next.Clients[i] = (Client{Number: c.Number, Encrypted: c.Encrypted}); next.Clients[i] != c {
			keep(&next)
		}
	}
	return s
}

// compact leaves out the workers without operations and the clients without workers and faults, and renumbers the
// others.
func compact(s *Scenario) *Scenario {
	next := &Scenario{World: s.World, Faults: slices.Clone(s.Faults), Ops: slices.Clone(s.Ops)}
	workers, clients := make([]int, len(s.Workers)), make([]int, len(s.Clients)) // their new numbers
	for i, c := range s.Clients {
		works := func(o Op) bool { return s.Workers[o.Worker].Client == i }
		hit := func(f Fault) bool { return f.Client == i }
		if slices.ContainsFunc(s.Ops, works) || slices.ContainsFunc(s.Faults, hit) {
			clients[i], c.Number = len(next.Clients), len(next.Clients)
			next.Clients = append(next.Clients, c)
		}
	}
	for i, k := range s.Workers {
		if slices.ContainsFunc(s.Ops, func(o Op) bool { return o.Worker == i }) {
			workers[i], k.Number, k.Client = len(next.Workers), len(next.Workers), clients[k.Client]
			next.Workers = append(next.Workers, k)
		}
	}
	for i := range next.Ops {
		next.Ops[i].Worker = workers[next.Ops[i].Worker]
	}
	for i, f := range next.Faults {
		if f.Client >= 0 {
			next.Faults[i].Client = clients[f.Client]
		}
	}
	if len(next.Clients) == 0 || len(next.Workers) == 0 {
		return s // a world needs them
	}
	return next
}

// lead is the time before the first event, in which the clients find the deployment, and the time after the last.
const lead = 2 * time.Second

// trimTime takes out the time before the first event and after the last one.
func trimTime(s *Scenario) *Scenario {
	first, last := s.World.Length, time.Duration(0)
	for _, o := range s.Ops {
		first, last = min(first, o.At), max(last, o.At)
	}
	for _, f := range s.Faults {
		first, last = min(first, f.At), max(last, f.At+f.For)
	}
	by := max(0, first-lead)
	next := *s
	next.World.Length = min(s.World.Length, max(last-by, 0)+lead)
	next.Ops, next.Faults = slices.Clone(s.Ops), slices.Clone(s.Faults)
	for i := range next.Ops {
		next.Ops[i].At -= by
	}
	for i := range next.Faults {
		next.Faults[i].At -= by
	}
	return &next
}
