package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// tableRow is a row that a case should touch, under the name that the suites note.
type tableRow struct {
	table, row string
	pattern    *regexp.Regexp // in place of the name, for texts with parameters
	names      []string       // tests name it so; for tables whose cases do not note what they touch
}

// rows lists the rows of the tables that the suites without a server are about.
func rows(t *load.Tables) []tableRow {
	var all []tableRow
	add := func(table, format string, args ...any) {
		all = append(all, tableRow{table: table, row: fmt.Sprintf(format, args...)})
	}
	for _, r := range t.BSONTypes().Rows {
		add("bson-types", "%s", r.Type)
	}
	for _, r := range t.BSONTypes().Subtypes {
		add("bson-types", "subtype %d", r.Code)
	}
	addServer(t, add)
	for _, r := range t.SelectionRules().Modes {
		add("selection-rules", "mode %s%s", strings.ToLower(r.Mode[:1]), r.Mode[1:])
	}
	for _, r := range t.SelectionRules().Topologies {
		topology := strings.TrimPrefix(r.Topology, "Topology")
		add("selection-rules", "read in %s", topology)
		add("selection-rules", "write in %s", topology)
	}
	for _, r := range t.SelectionRules().Passing {
		add("selection-rules", "pass %s/%s", r.Topologies[0], r.Servers[0])
	}
	for _, m := range t.PoolStates().Machines {
		if m.Name != "Pool" {
			continue // what one connection does is not visible from outside
		}
		for _, e := range m.Edges {
			for _, input := range e.Inputs {
				add("pool-states", "%s/%s", e.From, input)
			}
		}
	}
	for _, r := range t.Auth().Mechanisms.Rows {
		add("auth-mechanisms", "%s", r.Mechanism)
	}
	for _, r := range t.Auth().Properties.Rows {
		if r.Type == "string" { // others are Go values, which no connection string has
			add("auth-properties", "%s", r.Property)
		}
	}
	return append(all, uriRows(t)...)
}

// addServer adds the rows of SDAM.
func addServer(t *load.Tables, add func(table, format string, args ...any)) {
	name := func(server string) string { return strings.TrimPrefix(server, "Server") }
	for _, r := range t.Hello().Rows {
		row := name(r.Type)
		for _, when := range r.When {
			if when.Key == "Hidden" {
				row += " hidden"
			}
		}
		add("hello", "%s", row)
	}
	for _, r := range t.Transitions().Rows {
		// Upstream's table; and Single, which it leaves to prose. No check yields the other cells.
		for _, topology := range []string{"Unknown", "Sharded", "ReplicaSetNoPrimary", "ReplicaSetWithPrimary", "Single"} {
			add("transitions", "%s/%s", topology, name(r.Server))
		}
	}
	for _, r := range t.ServerErrors().Rows {
		add("server-errors", "%s/%s", r.Phase, r.Cause)
		add("server-errors", "%s/%s load balanced", r.Phase, r.Cause)
	}
}

var parameter = regexp.MustCompile(`\\\{[a-z]+\\\}`)

func uriRows(t *load.Tables) []tableRow {
	var all []tableRow
	for _, r := range t.URI().Rows {
		if r.Field != "" {
			all = append(all, tableRow{table: "uri", row: r.Name})
		}
	}
	for _, r := range t.URI().Rules {
		all = append(all, tableRow{table: "uri rules", row: r.Message})
	}
	for _, r := range t.URI().Warnings {
		text := parameter.ReplaceAllString(regexp.QuoteMeta(r.Template), ".*")
		all = append(all, tableRow{table: "uri warnings", row: r.Template, pattern: regexp.MustCompile("^" + text + "$")})
	}
	return all
}
