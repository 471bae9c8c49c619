package main

// budgets are the budgets by the name of the task. Allocations may only fall. A goal that is not reached yet stands beside
// its row.
var budgets = map[string]budget{
	"struct marshal, plan":                      {allocations: 1},
	"struct marshal append, bsongen":            {},
	"struct unmarshal, plan":                    {allocations: 5},
	"struct unmarshal, bsongen":                 {allocations: 5},
	"flat to D":                                 {allocations: 7},
	"flat from D, append":                       {},
	"flat walk":                                 {},
	"flat to extended JSON, from D":             {allocations: 2},
	"flat to extended JSON, from Raw":           {},
	"flat from extended JSON, to D":             {allocations: 8},
	"deep to D":                                 {allocations: 5},
	"deep from D, append":                       {},
	"deep walk":                                 {},
	"deep to extended JSON, from D":             {allocations: 2},
	"deep to extended JSON, from Raw":           {},
	"deep from extended JSON, to D":             {allocations: 6},
	"full to D":                                 {allocations: 59},
	"full from D, append":                       {},
	"full walk":                                 {},
	"full to extended JSON, from D":             {allocations: 2},
	"full to extended JSON, from Raw":           {},
	"full from extended JSON, to D":             {allocations: 80},
	"Decimal128 parse, short":                   {},
	"Decimal128 parse, middle":                  {},
	"Decimal128 parse, longest":                 {},
	"ObjectID to hexadecimal digits":            {},
	"flat to M":                                 {allocations: 10},
	"flat from M, append":                       {},
	"flat validate":                             {},
	"deep to M":                                 {allocations: 7},
	"deep from M, append":                       {},
	"deep validate":                             {},
	"full to M":                                 {allocations: 62},
	"full from M, append":                       {},
	"full validate":                             {},
	"ObjectID, new":                             {},
	"ObjectID from hexadecimal digits":          {},
	"ping, 1 goroutines, canned":                {3, 1, 1},
	"findOne, 1 goroutines, canned":             {13, 1, 1},   // goal: 8
	"insertOne, 1 goroutines, canned":           {10, 1, 1},   // goal: 6
	"insertMany 1000, 1 goroutines, canned":     {4020, 1, 1}, // goal: 1050
	"read 1000 documents, 1 goroutines, canned": {2025, 1, 2}, // goal: 1010
}
