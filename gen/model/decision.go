package model

import "github.com/specdrivers/onion/gen/load"

// DecisionGroup is a group of decisions: what they are about, the decisions, and which of them an event asks.
type DecisionGroup struct {
	Group   string // folder of the tables
	Package string
	Title   string
	Doc     string
	Spec    string
	Terms   []Term
	Steps   []DecisionStep
	Rules   []Decision // in the order in which steps ask them first
	Edges   []DecisionEdge
}

// DecisionEdge leads from an event to what is done about it, by a row.
type DecisionEdge struct {
	On, Row, Do string
}

// Term is an enumeration, and the struct that has a field of it.
type Term struct {
	load.Term
	at load.Pos
}

// The structs that hold the terms.
const (
	placeState   = "state"
	placeEvent   = "event"
	placeVerdict = "verdict"
)

// DecisionStep is what one event asks, in order.
type DecisionStep struct {
	On, Doc string
	Asks    []string
}

// Decision is one table. Asks and Gives are its columns.
type Decision struct {
	Name, Title, Doc, Spec string
	File                   string // below specs/
	Asks, Gives            []Term
	Rows                   []DecisionRow
}

// DecisionRow is one row: a list of values for each column of Asks, nil for any, and a value for each of Gives.
type DecisionRow struct {
	Name, Doc, Spec string
	When            [][]int
	Then            []int
}

// decisionBound limits the situations that a decision may distinguish, because the generator visits them all.
const decisionBound = 500_000
