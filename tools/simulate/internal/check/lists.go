package check

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome is what a client knows of a transaction's end.
type Outcome int

// The outcomes.
const (
	Unknown Outcome = iota
	Committed
	Aborted
)

// Transaction is what a transaction did and saw.
type Transaction struct {
	Name    string
	Steps   []Step
	Outcome Outcome
}

// Step appends a value to the list of a key, or reads the list. Every value is appended once.
type Step struct {
	Append     bool
	Key, Value int
	List       []int // what a read saw
}

// String returns the transaction on one line.
func (t *Transaction) String() string {
	var b strings.Builder
	for _, s := range t.Steps {
		if s.Append {
			fmt.Fprintf(&b, "%d+%d ", s.Key, s.Value)
		} else {
			fmt.Fprintf(&b, "%d=%v ", s.Key, s.List)
		}
	}
	return b.String() + [...]string{"unknown", "committed", "aborted"}[t.Outcome]
}

// place is a value in a list.
type place struct{ key, value int }

// analysis infers the order of transactions from the order of the values in the lists, after Kingsbury and Alvaro, "Elle:
// inferring isolation anomalies from experimental observations".
type analysis struct {
	transactions []Transaction
	orders       map[int][]int // the longest list that was read of each key
	writers      map[place]int // the transaction that appended a value
	wrong        []string
}

// SnapshotIsolation reports what transactions must not see of each other: writes that were lost, aborted, half done or in an
// order that changed, and cycles of dependencies other than write skew. Some transaction must have read every list in the end.
func SnapshotIsolation(transactions []Transaction) []string {
	a := &analysis{transactions: transactions, orders: map[int][]int{}, writers: map[place]int{}}
	for i := range transactions {
		a.collect(i)
	}
	for i := range transactions {
		a.checkReads(&transactions[i], i)
		a.checkWrites(&transactions[i])
	}
	for key, order := range a.orders {
		a.checkOrder(key, order)
	}
	if len(a.wrong) == 0 { // dependencies mean nothing when the lists are wrong
		a.checkCycles()
	}
	return a.wrong
}

func (a *analysis) report(format string, args ...any) {
	a.wrong = append(a.wrong, fmt.Sprintf(format, args...))
}

func (a *analysis) collect(i int) {
	for _, s := range a.transactions[i].Steps {
		switch {
		case s.Append:
			a.writers[place{s.Key, s.Value}] = i
		case a.transactions[i].Outcome != Committed: // what it read need not be consistent
		case len(s.List) > len(a.orders[s.Key]):
			a.orders[s.Key] = s.List
		}
	}
}

// checkReads compares what a committed transaction read with the order of the list, with its own appends, and with the transactions
// that wrote the values.
func (a *analysis) checkReads(t *Transaction, i int) {
	if t.Outcome != Committed {
		return
	}
	own, seen := map[int][]int{}, map[int][]int{}
	for _, s := range t.Steps {
		if s.Append {
			own[s.Key] = append(own[s.Key], s.Value)
			continue
		}
		mine := own[s.Key]
		others := s.List[:max(0, len(s.List)-len(mine))]
		if !slices.Equal(s.List[len(others):], mine) {
			a.report("transaction %s does not see what it wrote itself: %s", t.Name, t)
		}
		if before, again := seen[s.Key]; again && !slices.Equal(before, others) {
			a.report("transaction %s reads list %d twice and sees others in between: %s", t.Name, s.Key, t)
		}
		seen[s.Key] = others
		if order := a.orders[s.Key]; !slices.Equal(order[:len(others)], others) {
			a.report("transaction %s reads %v of list %d, another one %v", t.Name, others, s.Key, order)
		}
		a.checkLast(t, s.Key, others, i)
	}
}

// checkLast checks that a read does not end in the middle of a transaction, or with one that was aborted.
func (a *analysis) checkLast(t *Transaction, key int, others []int, i int) {
	for at, value := range others {
		w, known := a.writers[place{key, value}]
		switch {
		case !known:
			a.report("transaction %s reads %d of list %d, which nobody wrote", t.Name, value, key)
		case w == i:
			a.report("transaction %s reads %d of list %d before it writes it", t.Name, value, key)
		case a.transactions[w].Outcome == Aborted:
			a.report("transaction %s reads %d of list %d, which was aborted", t.Name, value, key)
		case at == len(others)-1 && a.lastOf(w, key) != value:
			a.report("transaction %s reads %d of list %d, half of what transaction %s wrote", t.Name, value, key, a.transactions[w].Name)
		}
	}
}

// lastOf returns the last value that a transaction appended to a list.
func (a *analysis) lastOf(i, key int) (last int) {
	for _, s := range a.transactions[i].Steps {
		if s.Append && s.Key == key {
			last = s.Value
		}
	}
	return last
}

// checkWrites checks that what a committed transaction wrote is there.
func (a *analysis) checkWrites(t *Transaction) {
	for _, s := range t.Steps {
		if s.Append && t.Outcome == Committed && !slices.Contains(a.orders[s.Key], s.Value) {
			a.report("transaction %s committed %d to list %d, and it is lost", t.Name, s.Value, s.Key)
		}
	}
}

func (a *analysis) checkOrder(key int, order []int) {
	times := map[int]int{}
	for _, value := range order {
		if times[value]++; times[value] == 2 {
			a.report("%d is twice in list %d", value, key)
		}
	}
}
