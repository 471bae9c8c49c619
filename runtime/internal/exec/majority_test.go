package exec

import (
	"reflect"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// Transactions, "writeConcern for commitTransaction attempts": w becomes majority. The other fields stay, even a
// wtimeout of 0; only an unset one becomes ten seconds.
func TestConcernOfARepeatedCommit(t *testing.T) {
	type concern = options.WriteConcern
	limit, short, none := new(10*time.Second), new(time.Second), new(time.Duration(0))
	for name, tt := range map[string]struct{ given, want *concern }{
		"none":                     {nil, &concern{W: "majority", WTimeout: limit}},
		"w":                        {&concern{W: 2}, &concern{W: "majority", WTimeout: limit}},
		"journal":                  {&concern{Journal: new(true)}, &concern{W: "majority", Journal: new(true), WTimeout: limit}},
		"wtimeout":                 {&concern{W: 1, WTimeout: short}, &concern{W: "majority", WTimeout: short}},
		"wtimeout without a limit": {&concern{W: 1, WTimeout: none}, &concern{W: "majority", WTimeout: none}},
	} {
		t.Run(name, func(t *testing.T) {
			var before concern
			if tt.given != nil {
				before = *tt.given
			}
			if got := withMajority(tt.given); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if tt.given != nil && !reflect.DeepEqual(*tt.given, before) {
				t.Errorf("the program's concern is now %+v", tt.given)
			}
		})
	}
}
