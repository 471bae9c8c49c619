package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
)

func TestJudgeCoverage(t *testing.T) {
	all := []tableRow{{table: "soup", row: "hot"}, {table: "soup", row: "cold"},
		{table: "salad", row: "a {b}", pattern: regexp.MustCompile("^a .*$")}}
	hot, cold, salad := "soup\thot", "soup\tcold", "salad\ta carrot"
	type row = struct{ Table, Row, Suite string }
	tests := map[string]struct {
		notes  []string
		except []row
		most   int
		want   string
	}{
		"all touched":          {[]string{hot, cold, salad}, nil, 0, ""},
		"one untouched":        {[]string{hot, salad}, nil, 0, "no case touches soup: cold"},
		"excepted":             {[]string{hot, salad}, []row{{"soup", "cold", "x"}}, 1, ""},
		"excepted and touched": {[]string{hot, cold, salad}, []row{{"soup", "cold", "x"}}, 1, "excepts soup: cold, which a case touches"},
		"excepts nothing":      {[]string{hot, cold, salad}, []row{{"soup", "warm", "x"}}, 1, "excepts a row that is not there"},
		"too many exceptions":  {[]string{hot, salad}, []row{{"soup", "cold", "x"}}, 0, "has 1 rows and says 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := &exceptions{Most: tt.most}
			for _, r := range tt.except {
				e.Rows = append(e.Rows, struct {
					Table string `yaml:"table"`
					Row   string `yaml:"row"`
					Suite string `yaml:"suite"`
				}(r))
			}
			var out bytes.Buffer
			ok, err := judgeCoverage(all, tt.notes, e, &out)
			if err != nil || ok != (tt.want == "") || !strings.Contains(out.String(), tt.want) {
				t.Errorf("%v, %v: %s; want %q", ok, err, out.String(), tt.want)
			}
		})
	}
}

func TestRowsReadEveryTable(t *testing.T) {
	tables := load.NewTables(os.DirFS("../../specs"))
	seen := map[string]int{}
	for _, r := range rows(tables) {
		seen[r.table]++
	}
	for _, p := range tables.Problems() {
		t.Error(p)
	}
	for _, table := range []string{"bson-types", "hello", "transitions", "server-errors", "selection-rules", "pool-states",
		"auth-mechanisms", "auth-properties", "uri", "uri rules", "uri warnings"} {
		if seen[table] == 0 {
			t.Errorf("no rows of %s", table)
		}
	}
}
