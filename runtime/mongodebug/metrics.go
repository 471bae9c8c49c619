package mongodebug

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/mongo"
)

// metrics writes OpenMetrics text.
type metrics struct{ b strings.Builder }

// beginFamily begins a metric family. A counter's samples end with _total.
func (m *metrics) beginFamily(name, kind, help string) {
	unit := ""
	if strings.HasSuffix(name, "_seconds") {
		unit = "# UNIT " + name + " seconds\n"
	}
	fmt.Fprintf(&m.b, "# TYPE %s %s\n%s# HELP %s %s\n", name, kind, unit, name, help)
}

// writeSample writes a value; labels holds names and values alternately.
func (m *metrics) writeSample(name string, value float64, labels ...string) {
	m.b.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		m.b.WriteByte("{,"[min(i, 1)])
		m.b.WriteString(labels[i] + `="` + escapeLabel(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		m.b.WriteByte('}')
	}
	m.b.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD"))
}

func (m *metrics) writeGauge(name, help string, value float64) {
	m.beginFamily(name, "gauge", help)
	m.writeSample(name, value)
}

func (m *metrics) writeHistogram(name string, h *histogram, labels ...string) {
	var sum int64
	labels = append(labels, "le", "")
	for i := range h.classes {
		sum += h.classes[i].Load()
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i].Seconds(), 'g', -1, 64)
		}
		labels[len(labels)-1] = bound
		m.writeSample(name+"_bucket", float64(sum), labels...)
	}
	labels = labels[:len(labels)-2]
	m.writeSample(name+"_count", float64(sum), labels...)
	m.writeSample(name+"_sum", time.Duration(h.sum.Load()).Seconds(), labels...)
}

// WriteMetrics writes the client's current state and its totals.
func (r *recorder) WriteMetrics(w io.Writer) error {
	client := r.client.Load()
	if client == nil {
		return nil
	}
	stats := client.Stats()
	var m metrics
	m.writeOperations(&stats)
	r.writeCommands(&m)
	m.writeServers(stats.Topology.Servers)
	r.writePools(&m, stats.Topology.Servers)
	m.beginFamily("onion_topology_changes", "counter", "Changes of servers, pools and the topology.")
	m.writeSample("onion_topology_changes_total", float64(r.history.Total()))
	_, err := io.WriteString(w, m.b.String())
	return err
}

// count is a number and the kind of thing that it counts.
type count struct {
	of string
	n  int64
}

func (m *metrics) writeOperations(s *mongo.Stats) {
	o := &s.Operations
	m.writeGauge("onion_operations_in_flight", "Operations that have begun and not ended.", float64(o.InFlight))
	m.beginFamily("onion_operations", "counter", "Operations that have ended.")
	m.writeSample("onion_operations_total", float64(o.Finished-o.Failed), "outcome", "ok")
	m.writeSample("onion_operations_total", float64(o.Failed), "outcome", "failed")
	m.beginFamily("onion_operation_failures", "counter", "Operations that failed, by the kind of failure.")
	f := &o.Failures
	for _, kind := range []count{
		{"server", f.Server}, {"duplicate key", f.DuplicateKey}, {"write", f.Write}, {"write concern", f.WriteConcern},
		{"network", f.Network}, {"timeout", f.Timeout}, {"canceled", f.Canceled}, {"other", f.Other},
	} {
		m.writeSample("onion_operation_failures_total", float64(kind.n), "kind", kind.of)
	}
	m.beginFamily("onion_operation_retries", "counter", "Tries after the first one.")
	m.writeSample("onion_operation_retries_total", float64(o.Retries))
	m.writeGauge("onion_operations_cleaning", "Cleanups that go on after calls whose context has ended.", float64(o.Cleaning))
	m.beginFamily("onion_operation_timeouts", "counter", "Operations whose time ran out, by what they waited for.")
	for _, t := range []count{
		{"selection", o.Timeouts.Selection}, {"check_out", o.Timeouts.CheckOut}, {"network", o.Timeouts.Network},
		{"server", o.Timeouts.Server}, {"other", o.Timeouts.Other},
	} {
		m.writeSample("onion_operation_timeouts_total", float64(t.n), "waiting_for", t.of)
	}
	m.writeGauge("onion_cursors_open", "Cursors that are open on a server.", float64(s.Cursors))
	m.writeGauge("onion_change_streams_open", "Change streams that are open.", float64(s.ChangeStreams))
	m.writeGauge("onion_sessions_in_progress", "Sessions that the program has started and not ended.", float64(s.Sessions.InProgress))
}

func (r *recorder) writeCommands(m *metrics) {
	names := r.durations.names()
	m.beginFamily("onion_command_duration_seconds", "histogram", "How long commands took, by their name.")
	for _, name := range names {
		m.writeHistogram("onion_command_duration_seconds", &r.durations.timesOf(name).histogram, "command", name)
	}
	m.beginFamily("onion_command_failures", "counter", "Commands that failed, by their name and the kind of failure.")
	for _, name := range names {
		c := r.durations.timesOf(name)
		c.mu.Lock()
		for _, kind := range slices.Sorted(maps.Keys(c.failed)) {
			m.writeSample("onion_command_failures_total", float64(c.failed[kind]), "command", name, "kind", kind)
		}
		c.mu.Unlock()
	}
}

func (m *metrics) writeServers(servers []mongo.ServerStats) {
	m.beginFamily("onion_server_up", "gauge", "1 while the server is known to answer.")
	for _, s := range servers {
		up := 0.0
		if s.Type.IsAvailable() {
			up = 1
		}
		m.writeSample("onion_server_up", up, "server", s.Address, "type", s.Type.String())
	}
	m.beginFamily("onion_server_rtt_seconds", "gauge", "The average round trip.")
	for _, s := range servers {
		m.writeSample("onion_server_rtt_seconds", s.RTT.Seconds(), "server", s.Address)
	}
	m.beginFamily("onion_server_operations", "gauge", "Operations that the server executes.")
	for _, s := range servers {
		m.writeSample("onion_server_operations", float64(s.Operations), "server", s.Address)
	}
}

func (r *recorder) writePools(m *metrics, servers []mongo.ServerStats) {
	m.beginFamily("onion_pool_connections", "gauge", "Connections by what they are doing.")
	for _, s := range servers {
		m.writeSample("onion_pool_connections", float64(s.Pool.InUse), "server", s.Address, "state", "in_use")
		m.writeSample("onion_pool_connections", float64(s.Pool.Idle), "server", s.Address, "state", "idle")
		m.writeSample("onion_pool_connections", float64(s.Pool.Establishing), "server", s.Address, "state", "establishing")
	}
	m.beginFamily("onion_pool_waiting", "gauge", "Operations that wait for a connection.")
	for _, s := range servers {
		m.writeSample("onion_pool_waiting", float64(s.Pool.Waiting), "server", s.Address)
	}
	m.beginFamily("onion_pool_oldest_wait_seconds", "gauge", "How long the operation that is next in line has waited.")
	for _, s := range servers {
		m.writeSample("onion_pool_oldest_wait_seconds", s.Pool.OldestWait.Seconds(), "server", s.Address)
	}
	m.beginFamily("onion_pool_clears", "counter", "How often the pool was cleared.")
	for _, s := range servers {
		m.writeSample("onion_pool_clears_total", float64(s.Pool.Generation), "server", s.Address)
	}
	r.writeConnections(m, servers)
}

// writeConnections writes what only the events report. Each family is written separately, as the format requires.
func (r *recorder) writeConnections(m *metrics, servers []mongo.ServerStats) {
	each := func(write func(address string, p *poolRecord)) {
		for _, s := range servers {
			p := r.pools.peek(s.Address)
			p.mu.Lock()
			write(s.Address, p)
			p.mu.Unlock()
		}
	}
	m.beginFamily("onion_connections_created", "counter", "Connections that the pool has begun.")
	each(func(address string, p *poolRecord) {
		m.writeSample("onion_connections_created_total", float64(p.created), "server", address)
	})
	m.beginFamily("onion_connections_closed", "counter", "Connections that the pool has closed, by the reason.")
	each(func(address string, p *poolRecord) {
		for _, reason := range []event.ClosedReason{event.ClosedStale, event.ClosedIdle, event.ClosedError, event.ClosedPoolClosed} {
			m.writeSample("onion_connections_closed_total", float64(p.closed[reason]), "server", address, "reason", string(reason))
		}
	})
	m.beginFamily("onion_pool_check_out_failures", "counter", "Operations that got no connection, by the reason.")
	each(func(address string, p *poolRecord) {
		for _, reason := range slices.Sorted(maps.Keys(p.failed)) {
			m.writeSample("onion_pool_check_out_failures_total", float64(p.failed[reason]), "server", address, "reason", string(reason))
		}
	})
	m.beginFamily("onion_pool_check_out_duration_seconds", "histogram", "How long operations waited for a connection.")
	each(func(address string, p *poolRecord) {
		m.writeHistogram("onion_pool_check_out_duration_seconds", &p.waits, "server", address)
	})
}
