package session

import (
	"bytes"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/txn"
)

// clusterTimeAt returns a $clusterTime document. The note distinguishes documents with the same time.
func clusterTimeAt(t, i uint32, note string) bson.Raw {
	raw, err := bson.Marshal(bson.D{{Key: "clusterTime", Value: bson.Timestamp{T: t, I: i}}, {Key: "note", Value: note}})
	if err != nil {
		panic(err)
	}
	return raw
}

func TestTheClockOnlyMovesForwards(t *testing.T) {
	var c Clock
	if c.ClusterTime() != nil {
		t.Errorf("it begins at %v", c.ClusterTime())
	}
	for _, tt := range []struct {
		name       string
		doc, after bson.Raw
	}{
		{"first", clusterTimeAt(5, 5, "a"), clusterTimeAt(5, 5, "a")},
		{"the same time", clusterTimeAt(5, 5, "b"), clusterTimeAt(5, 5, "a")},
		{"earlier", clusterTimeAt(4, 9, "c"), clusterTimeAt(5, 5, "a")},
		{"earlier increment", clusterTimeAt(5, 4, "d"), clusterTimeAt(5, 5, "a")},
		{"later increment", clusterTimeAt(5, 6, "e"), clusterTimeAt(5, 6, "e")},
		{"later", clusterTimeAt(6, 1, "f"), clusterTimeAt(6, 1, "f")},
		{"no time", bson.Raw{5, 0, 0, 0, 0}, clusterTimeAt(6, 1, "f")},
		{"nothing", nil, clusterTimeAt(6, 1, "f")},
	} {
		if !c.Advance(tt.doc) {
			t.Errorf("%s: refused", tt.name)
		}
		if !bytes.Equal(c.ClusterTime(), tt.after) {
			t.Errorf("%s: the clock is at %v", tt.name, c.ClusterTime())
		}
	}
}

// The clock must copy the document, because it belongs to a reply whose memory is reused.
func TestTheClockKeepsACopy(t *testing.T) {
	var c Clock
	doc := clusterTimeAt(1, 1, "a")
	c.Advance(doc)
	clear(doc)
	if !bytes.Equal(c.ClusterTime(), clusterTimeAt(1, 1, "a")) {
		t.Errorf("the clock changed to %v", c.ClusterTime())
	}
}

func TestALargeClusterTimeIsRefused(t *testing.T) {
	var c Clock
	fits := clusterTimeAt(1, 1, "")
	fits = clusterTimeAt(1, 1, string(make([]byte, txn.MaxClusterTimeSize-len(fits))))
	if len(fits) != txn.MaxClusterTimeSize {
		t.Fatalf("the document has %d bytes", len(fits))
	}
	if !c.Advance(fits) || c.ClusterTime() == nil {
		t.Error("a document of the greatest size is refused")
	}
	if c.Advance(append(fits, 0)) {
		t.Error("a larger one is not refused")
	}
}

func TestLaterOfTwoClocks(t *testing.T) {
	early, late := clusterTimeAt(1, 1, "early"), clusterTimeAt(2, 1, "late")
	for _, tt := range []struct {
		name         string
		mine, theirs bson.Raw
		want         bson.Raw
	}{
		{"none", nil, nil, nil},
		{"mine", early, nil, early},
		{"theirs", nil, early, early},
		{"mine is later", late, early, late},
		{"theirs is later", early, late, late},
		{"equal", early, clusterTimeAt(1, 1, "other"), early},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mine, theirs Clock
			mine.Advance(tt.mine)
			theirs.Advance(tt.theirs)
			if got := mine.LaterClusterTime(&theirs); !bytes.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if !bytes.Equal(mine.ClusterTime(), tt.mine) || !bytes.Equal(theirs.ClusterTime(), tt.theirs) {
				t.Error("asking moved a clock")
			}
		})
	}
}

// Many replies arrive at once, and the latest time wins.
func TestTheClockIsSafeForConcurrentUse(t *testing.T) {
	var c Clock
	var all sync.WaitGroup
	for i := range uint32(8) {
		all.Go(func() {
			for j := range uint32(200) {
				c.Advance(clusterTimeAt(1, j*8+i, ""))
			}
		})
	}
	all.Wait()
	if want := clusterTimeAt(1, 199*8+7, ""); !bytes.Equal(c.ClusterTime(), want) {
		t.Errorf("the clock is at %v, want %v", c.ClusterTime(), want)
	}
}
