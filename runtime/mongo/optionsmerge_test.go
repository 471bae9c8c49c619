package mongo

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/option"
)

func TestLaterOptionsWin(t *testing.T) {
	one := &options.Find{Limit: new(int64(1)), Comment: "first"}
	two := &options.Find{Limit: new(int64(2)), Skip: new(int64(5))}
	tests := []struct {
		name string
		list []*options.Find
		want *options.Find
	}{
		{"none", nil, nil},
		{"only nil", []*options.Find{nil, nil}, nil},
		{"one", []*options.Find{nil, one}, one},
		{"later wins field by field", []*options.Find{one, nil, two}, &options.Find{Limit: new(int64(2)), Skip: new(int64(5)), Comment: "first"}},
		{"order counts", []*options.Find{two, one}, &options.Find{Limit: new(int64(1)), Skip: new(int64(5)), Comment: "first"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mergeOptions(tt.list)
			if (got == nil) != (tt.want == nil) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
			if got == nil {
				return
			}
			if option.Or(got.Limit, 0) != option.Or(tt.want.Limit, 0) || option.Or(got.Skip, 0) != option.Or(tt.want.Skip, 0) || got.Comment != tt.want.Comment {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	if *one.Limit != 1 || one.Skip != nil || *two.Limit != 2 || two.Comment != nil {
		t.Error("merging changed a struct of the caller")
	}
}

func TestOneStructOfOptionsCostsNothing(t *testing.T) {
	list := []*options.FindOne{{Timeout: new(time.Second)}}
	if got := mergeOptions(list); got != list[0] {
		t.Error("a single struct was copied")
	}
	if n := testing.AllocsPerRun(100, func() { mergeOptions(list) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
