package scenario

import "slices"

// Shrink removes from a scenario what its failure does not need: workers, then faults, then operations, then what only makes it longer to
// read. fails carries a scenario out and reports whether the failure is still there; it is called at most most times.
func Shrink(s *Scenario, most int, fails func(*Scenario) bool) *Scenario {
	asked, limit := 0, most-min(most/4, 8) // the other calls are for tidy
	try := func(candidate *Scenario) bool {
		if asked >= limit {
			return false
		}
		asked++
		return fails(candidate)
	}
	s = shrinkWorkers(s, try)
	faults := shrinkList(s.Faults, func(left []Fault) bool {
		next := *s
		next.Faults = left
		return try(&next)
	})
	next := *s
	next.Faults = faults
	s = &next
	ops := shrinkList(s.Ops, func(left []Op) bool {
		next := *s
		next.Ops = left
		return try(&next)
	})
	result := *s
	result.Ops = ops
	limit = most
	return tidy(&result, try)
}

// shrinkWorkers takes out one workload after the other. The workers keep their numbers: a worker without operations does
// nothing.
func shrinkWorkers(s *Scenario, try func(*Scenario) bool) *Scenario {
	for _, name := range Workloads {
		next := *s
		next.Ops = slices.DeleteFunc(slices.Clone(s.Ops), func(o Op) bool { return s.Workers[o.Worker].Workload == name })
		if len(next.Ops) > 0 && len(next.Ops) < len(s.Ops) && try(&next) {
			s = &next
		}
	}
	return s
}

// shrinkList takes parts out of a list while what is left still fails: halves first, then smaller and smaller parts. Zeller and
// Hildebrandt, "Simplifying and isolating failure-inducing input".
func shrinkList[T any](list []T, fails func([]T) bool) []T {
	for size := (len(list) + 1) / 2; size > 0; {
		smaller := false
		for at := 0; at < len(list); {
			left := slices.Concat(list[:at], list[min(at+size, len(list)):])
			if fails(left) {
				list, smaller = left, true
			} else {
				at += size
			}
		}
		if size == 1 && !smaller {
			break
		}
		size = max(1, min(size/2, len(list)))
		if len(list) == 0 {
			break
		}
	}
	return list
}
