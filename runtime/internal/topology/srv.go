package topology

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/sdam"
	"github.com/specdrivers/onion/runtime/uri"

	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// pollSRV looks up the SRV records again and again, as long as the topology may be sharded.
//
// Polling SRV Records, "Implementation".
func (t *Topology) pollSRV() {
	interval := t.rescanInterval(0)
	for t.sleep(interval) {
		switch t.Description().Type {
		case description.TopologyUnknown, description.Sharded:
		default:
			return // it can no longer become sharded
		}
		interval = t.rescan()
	}
}

// rescan looks up the records once and returns the time until the next look-up. A failure changes nothing.
func (t *Topology) rescan() time.Duration {
	hosts, ttl, err := t.lookUpSRV()
	if err != nil || len(hosts) == 0 {
		return t.set.heartbeatFrequency
	}
	t.update(func(now description.Topology) (description.Topology, sdam.Effects) {
		return t.model.SetHosts(now, t.pickHosts(now, hosts))
	})
	return t.rescanInterval(ttl)
}

func (t *Topology) lookUpSRV() ([]string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(t.ctx, max(t.set.connectTimeout, t.set.heartbeatFrequency))
	defer cancel()
	hosts, refused, ttl, err := uri.RescanHosts(ctx, t.cfg.Resolver, t.cfg.SRVName, t.cfg.SRVService)
	if err == nil {
		err = uri.CheckHosts(t.cfg.SRVName, len(hosts), option.Or(t.cfg.Options.SRVMaxHosts, options.DefaultSRVMaxHosts))
	}
	switch {
	case err != nil:
		t.warn("the SRV records of " + t.cfg.SRVName + " could not be looked up again: " + err.Error())
	case len(hosts) == 0:
		t.warn("the SRV records of " + t.cfg.SRVName + " no longer name a usable host; the hosts stay as they are")
	}
	for i, host := range refused {
		if i == maxRefusedWarnings {
			t.warn(fmt.Sprintf("the SRV records of %s name %d more hosts, which are left out", t.cfg.SRVName, len(refused)-i))
			break
		}
		t.warn("an SRV record of " + t.cfg.SRVName + " names " + host +
			", which is not in its domain or not an address; the host is left out")
	}
	return hosts, ttl, err
}

// maxRefusedWarnings is how many hosts of one look-up are named in the log.
const maxRefusedWarnings = 10

// warn logs a problem that an administrator should look at.
func (t *Topology) warn(text string) { t.cfg.Log.Warn(t.ctx, text) }

// pickHosts applies srvMaxHosts. Hosts that are already in the topology stay; the free places are filled at random.
func (t *Topology) pickHosts(now description.Topology, hosts []string) []string {
	limit := option.Or(t.cfg.Options.SRVMaxHosts, options.DefaultSRVMaxHosts)
	if limit <= 0 || limit >= len(hosts) {
		return hosts
	}
	var kept, others []string
	for _, host := range hosts {
		if _, ok := now.Server(host); ok {
			kept = append(kept, host)
		} else {
			others = append(others, host)
		}
	}
	for len(kept) < limit { // there are more hosts than that
		i := t.cfg.random(len(others))
		kept = append(kept, others[i])
		others = slices.Delete(others, i, i+1)
	}
	return kept
}

// rescanInterval is the time to live of the records, or the specified minimum if that is longer.
func (t *Topology) rescanInterval(ttl time.Duration) time.Duration {
	least := selecttable.RescanSRVInterval
	if t.cfg.RescanInterval > 0 {
		least = t.cfg.RescanInterval
	}
	return max(ttl, least)
}

// sleep waits for d. It reports false when the topology is closed.
func (t *Topology) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-t.ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
