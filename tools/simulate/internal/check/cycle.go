package check

import (
	"slices"
	"strings"
)

// graph holds, for each transaction, the transactions that come after it.
type graph map[int]map[int]string

func (g graph) add(from, to int, why string) {
	if from == to {
		return
	}
	if g[from] == nil {
		g[from] = map[int]string{}
	}
	if g[from][to] == "" {
		g[from][to] = why
	}
}

// checkCycles looks for cycles among the dependencies. Under snapshot isolation every cycle has two anti-dependencies in
// a row, as write skew has. So a graph whose edges are dependencies, each joined with an anti-dependency that follows it, has no
// cycle. Cerone and Gotsman, "Analysing snapshot isolation", theorem 10.
func (a *analysis) checkCycles() {
	depends, anti := graph{}, graph{}
	for key, order := range a.orders {
		for at := 1; at < len(order); at++ {
			depends.add(a.writers[place{key, order[at-1]}], a.writers[place{key, order[at]}], "ww")
		}
	}
	for i := range a.transactions {
		if a.transactions[i].Outcome == Committed {
			a.addDependencies(i, depends, anti)
		}
	}
	joined := graph{}
	for from, all := range depends {
		for to, why := range all {
			joined.add(from, to, why)
			for next := range anti[to] {
				joined.add(from, next, why+" rw")
				if from == next {
					a.report("transactions %s and %s: %s rw, read skew:\n\t%s\n\t%s", a.transactions[from].Name,
						a.transactions[to].Name, why, &a.transactions[from], &a.transactions[to])
				}
			}
		}
	}
	if cycle := joined.findCycle(len(a.transactions)); cycle != nil {
		var lines []string
		for at, i := range cycle {
			next := cycle[(at+1)%len(cycle)]
			lines = append(lines, "\t"+a.transactions[i].Name+": "+a.transactions[i].String()+" -"+joined[i][next]+"->")
		}
		a.report("a cycle that snapshot isolation does not allow:\n%s", strings.Join(lines, "\n"))
	}
}

// addDependencies orders a transaction by its reads: it comes after the transaction that wrote the last value that it saw, and
// before the transaction that wrote the next value.
func (a *analysis) addDependencies(i int, depends, anti graph) {
	own := map[int]int{}
	for _, s := range a.transactions[i].Steps {
		if s.Append {
			own[s.Key]++
			continue
		}
		n, order := max(0, len(s.List)-own[s.Key]), a.orders[s.Key]
		if n > 0 {
			depends.add(a.writers[place{s.Key, order[n-1]}], i, "wr")
		}
		for n < len(order) && a.writers[place{s.Key, order[n]}] == i {
			n++
		}
		if n < len(order) {
			anti.add(i, a.writers[place{s.Key, order[n]}], "rw")
		}
	}
}

// findCycle finds a cycle by a depth-first search, or returns nil.
func (g graph) findCycle(nodes int) []int {
	const (
		fresh = iota
		open
		finished
	)
	state, path := make([]int, nodes), []int(nil)
	var visit func(int) []int
	visit = func(at int) []int {
		state[at] = open
		path = append(path, at)
		for _, next := range sortedKeys(g[at]) {
			if state[next] == open {
				return path[slices.Index(path, next):]
			}
			if state[next] == fresh {
				if found := visit(next); found != nil {
					return found
				}
			}
		}
		state[at], path = finished, path[:len(path)-1]
		return nil
	}
	for i := range nodes {
		if state[i] == fresh {
			if found := visit(i); found != nil {
				return found
			}
		}
	}
	return nil
}

func sortedKeys(m map[int]string) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
