package mongodebug

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
	"github.com/specdrivers/onion/runtime/selection"
)

// Decide explains the choice of a server now, or the choice for a command that the page remembers.
func (r *recorder) Decide(q view.Question) (*view.Decision, error) {
	client := r.client.Load()
	if client == nil {
		return nil, nil
	}
	if q.ID != 0 {
		return r.decidePast(client, q.ID), nil
	}
	choice := mongo.ServerChoice{Write: q.Write}
	if !q.Write && (q.Mode != "" || q.Tags != "" || q.Staleness != "") {
		rp, err := readPreference(q)
		if err != nil {
			return nil, err
		}
		choice.ReadPreference = rp
	}
	d := decisionView(client.ExplainServerChoice(choice))
	load := map[string]int64{}
	for _, server := range client.Stats().Topology.Servers {
		load[server.Address] = server.Operations
	}
	for i := range d.Verdicts {
		d.Verdicts[i].Operations = new(load[d.Verdicts[i].Address])
	}
	return d, nil
}

// decidePast explains the choice for a command that has run, from the topology at that time. A command holds its read
// preference in $readPreference; one without it went to the primary.
func (r *recorder) decidePast(client *mongo.Client, id int64) *view.Decision {
	m := r.problems.find(id)
	if m == nil {
		for _, slow := range r.slowest.All(time.Now()) {
			if slow.ID == id {
				m = &slow
				break
			}
		}
	}
	if m == nil || m.topology == nil {
		return nil
	}
	choice := mongo.ServerChoice{Topology: m.topology, ReadPreference: &options.ReadPreference{Mode: options.Primary}}
	if rp := sentPreference(m.command); rp != nil {
		choice.ReadPreference = rp
	}
	d := decisionView(client.ExplainServerChoice(choice))
	d.Chosen, d.At = m.Server, m.At
	return d
}

// sentPreference reads a $readPreference.
func sentPreference(doc bson.Raw) *options.ReadPreference {
	name, _ := doc.Lookup("mode").StringOK()
	mode, ok := options.ParseReadPreferenceMode(name)
	if !ok {
		return nil
	}
	rp := &options.ReadPreference{Mode: mode}
	for _, field := range doc.All() {
		sets, _ := field.ArrayOK() // the tag sets are the one field that is a list
		for _, v := range sets.All() {
			var set options.TagSet
			if tags, ok := v.DocumentOK(); ok {
				for name, value := range tags.All() {
					text, _ := value.StringOK()
					set = append(set, options.Tag{Name: name, Value: text})
				}
			}
			rp.TagSets = append(rp.TagSets, set)
		}
	}
	if s, ok := doc.Lookup(wire.FieldMaxStalenessSeconds).AsInt64OK(); ok {
		rp.MaxStaleness = new(time.Duration(s) * time.Second)
	}
	return rp
}

// readPreference reads the form of the page.
func readPreference(q view.Question) (*options.ReadPreference, error) {
	rp := &options.ReadPreference{}
	if q.Mode != "" {
		mode, ok := options.ParseReadPreferenceMode(q.Mode)
		if !ok {
			return nil, fmt.Errorf("%q is not a read preference mode", q.Mode)
		}
		rp.Mode = mode
	}
	if q.Tags != "" {
		for list := range strings.SplitSeq(q.Tags, ";") {
			set, err := tagSet(list)
			if err != nil {
				return nil, err
			}
			rp.TagSets = append(rp.TagSets, set)
		}
	}
	if q.Staleness != "" {
		d, err := time.ParseDuration(q.Staleness)
		if err != nil {
			return nil, errors.New("the staleness must be a duration such as 90s")
		}
		rp.MaxStaleness = &d
	}
	return rp, nil
}

func tagSet(list string) (options.TagSet, error) {
	var set options.TagSet
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag == "" {
			continue
		}
		name, value, ok := strings.Cut(tag, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not a tag: write it as name=value", tag)
		}
		set = append(set, options.Tag{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	return set, nil
}

func decisionView(d selection.Decision) *view.Decision {
	v := &view.Decision{
		Wants: d.Wants, Topology: d.Topology.String(), Threshold: view.Milliseconds(d.Threshold), Shortest: view.Milliseconds(d.Shortest),
		Verdicts: []view.Verdict{},
	}
	if d.Err != nil {
		v.Error = d.Err.Error()
	}
	for _, verdict := range d.Verdicts {
		s := verdict.Server
		v.Verdicts = append(v.Verdicts, view.Verdict{
			Address: s.Address, Type: s.Type.String(), RTT: view.Milliseconds(s.RTT), Tags: s.Tags,
			Out: verdict.Out.String(), Reason: verdict.Reason,
		})
	}
	return v
}
