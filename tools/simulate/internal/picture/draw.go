package picture

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

//go:embed page.html
var page string

// lane is one row of the picture.
type lane struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Bars []bar  `json:"bars"`
}

// bar is something that lasted, in milliseconds.
type bar struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Kind string  `json:"kind"`
	Text string  `json:"text"`
}

// Draw writes the page of a world.
func Draw(w io.Writer, r *world.Result) error {
	lanes := append(nodeLanes(r), clientLanes(r)...)
	data, err := json.Marshal(append(lanes, workerLanes(r)...))
	if err != nil {
		return err
	}
	var text strings.Builder
	small := *r.Scenario
	small.Ops = nil
	if err := scenario.Write(&text, &small); err != nil {
		return err
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{
		"World": r.Scenario.World, "Lanes": template.JS(data), "Violations": violations(r), "Scenario": text.String(),
		"Operations": len(r.History), "Marks": template.JS(moments(r)),
	})
}

// violations lists the violations. One that was found several times appears once, at its first time.
func violations(r *world.Result) (list []string) {
	times := map[string]int{}
	for _, v := range r.Violations {
		times[v.Checker+v.Text]++
	}
	for _, v := range r.Violations {
		switch n := times[v.Checker+v.Text]; {
		case n > 1:
			list = append(list, fmt.Sprintf("%s (%d times)", v, n))
		case n == 1:
			list = append(list, v.String())
		}
		times[v.Checker+v.Text] = 0
	}
	return list
}

// moments returns the times of the violations.
func moments(r *world.Result) []byte {
	at := []float64{}
	for _, v := range r.Violations {
		at = append(at, float64(v.At.Microseconds())/1000)
	}
	data, _ := json.Marshal(at) // cannot fail: these are numbers
	return data
}

// nodeLanes makes a lane for each node: its role, and its faults. Faults that hit no node are in a last lane of their own.
func nodeLanes(r *world.Result) []lane {
	lanes := make([]lane, r.Scenario.World.Nodes+1)
	elsewhere := len(lanes) - 1
	for i := range elsewhere {
		lanes[i] = lane{Name: fmt.Sprint("node ", i), Kind: "node"}
	}
	lanes[elsewhere] = lane{Name: "elsewhere", Kind: "node"}
	for _, m := range r.Marks {
		if m.Kind == "view" || m.Node >= elsewhere {
			continue
		}
		at, text := m.Node, m.Text
		if at < 0 {
			at = elsewhere
		}
		if m.Kind == "fault" && m.Client >= 0 {
			text += fmt.Sprint(" for client ", m.Client)
		}
		lanes[at].Bars = append(lanes[at].Bars, bar{milliseconds(m.Start), milliseconds(m.End), m.Kind, text})
	}
	if r.Scenario.World.Shape == scenario.ReplicaSet {
		for i := range elsewhere {
			lanes[i].Bars = append(lanes[i].Bars, secondaryBars(r, i)...)
		}
	}
	if len(lanes[elsewhere].Bars) == 0 {
		return lanes[:elsewhere]
	}
	return lanes
}

// secondaryBars makes a bar for each time in which a member was neither primary nor stopped nor out of the set.
func secondaryBars(r *world.Result, node int) (bars []bar) {
	var other []bar
	end := milliseconds(r.Scenario.World.Length)
	for _, m := range r.Marks {
		end = max(end, milliseconds(m.End))
		out := m.Kind == "role" || m.Kind == "fault" && (hasKind(m, scenario.Kill) || hasKind(m, scenario.Reconfigure))
		if m.Node == node && out {
			other = append(other, bar{From: milliseconds(m.Start), To: milliseconds(m.End)})
		}
	}
	slices.SortFunc(other, func(a, b bar) int { return cmp.Compare(a.From, b.From) })
	at := 0.0
	for _, b := range append(other, bar{From: end, To: end}) {
		if b.From > at {
			bars = append(bars, bar{at, b.From, "secondary", "secondary"})
		}
		at = max(at, b.To)
	}
	return bars
}

// hasKind reports whether a mark is of a kind of fault. Its text begins with the kind.
func hasKind(m world.Mark, kind string) bool {
	word, _, _ := strings.Cut(m.Text, " ")
	return word == kind
}

// clientLanes makes a lane for each client: how it saw the deployment.
func clientLanes(r *world.Result) []lane {
	lanes := make([]lane, len(r.Scenario.Clients))
	for i := range lanes {
		lanes[i] = lane{Name: fmt.Sprintf("client %d sees", i), Kind: "view"}
	}
	end := milliseconds(r.Scenario.World.Length)
	for _, m := range r.Marks {
		if m.Kind != "view" {
			continue
		}
		bars := &lanes[m.Client].Bars
		if n := len(*bars); n > 0 {
			(*bars)[n-1].To = milliseconds(m.Start)
		}
		kind := "good"
		if !strings.Contains(m.Text, "=P") && !strings.Contains(m.Text, "=R") && !strings.Contains(m.Text, "=L") {
			kind = "blind"
		} else if strings.Contains(m.Text, "?") {
			kind = "partial"
		}
		*bars = append(*bars, bar{milliseconds(m.Start), max(end, milliseconds(m.Start)), kind, m.Text})
	}
	return lanes
}

// workerLanes makes a lane for each worker that did something: its operations.
func workerLanes(r *world.Result) []lane {
	lanes := make([]lane, len(r.Scenario.Workers))
	for i, k := range r.Scenario.Workers {
		lanes[i] = lane{Name: fmt.Sprintf("%d %s, client %d", k.Number, k.Workload, k.Client), Kind: "worker"}
	}
	for _, h := range r.History {
		text := h.Op.Kind + ": " + h.Text
		if h.Err != nil {
			text += "\n" + h.Err.Error()
		}
		lanes[h.Worker].Bars = append(lanes[h.Worker].Bars, bar{milliseconds(h.Start), milliseconds(h.End), outcome(h.Err), text})
	}
	return slices.DeleteFunc(lanes, func(l lane) bool { return len(l.Bars) == 0 })
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, world.ErrNothing):
		return "idle"
	case mongo.IsTimeout(err):
		return "timeout"
	case mongo.IsNetworkError(err), errors.Is(err, mongo.ErrClientClosed):
		return "network"
	}
	return "failed"
}

func milliseconds[T ~int64](d T) float64 { return float64(d) / 1e6 }
