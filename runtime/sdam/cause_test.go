package sdam_test

import (
	"errors"
	"os"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/sdam"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// SDAM, "Error handling pseudocode": every cause, before and after the handshake, with monitors and behind a load
// balancer. There the driver can clear only the connections of the service.
func TestEveryCauseOfAnError(t *testing.T) {
	reset := error(fault.NetworkError{Err: errors.New("reset")})
	code := func(c errcode.Code) error { return fault.CommandError{Code: c} }
	tests := []struct {
		name          string
		err           error
		before, after string
		balanced      [2]bool // whether the pool is cleared, before and after
	}{
		{"overloaded", fault.AddLabels(reset, fault.LabelSystemOverloadedError), "", "", [2]bool{false, false}},
		{"not writable primary", code(10107), "unknown clear check", "unknown check", [2]bool{true, false}},
		{"recovering", code(13436), "unknown clear check", "unknown check", [2]bool{true, false}},
		{"shutdown", code(91), "unknown clear check", "unknown clear check", [2]bool{true, true}},
		{"network", reset, "unknown clear cancel", "unknown clear cancel", [2]bool{true, true}},
		{"timeout", fault.NetworkError{Err: os.ErrDeadlineExceeded}, "unknown clear cancel", "", [2]bool{true, false}},
		{"other command error", code(18), "unknown clear cancel", "", [2]bool{true, false}},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.before, tt.after} {
			phase := []sdamtable.Phase{sdamtable.BeforeHandshake, sdamtable.AfterHandshake}[i]
			t.Run(tt.name+[]string{" before", " after"}[i], func(t *testing.T) {
				d := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"})
				d.apply(member("a:1", description.RSPrimary, "a:1"))
				d.now, d.fx = d.HandleError(d.now, &sdam.ApplicationError{Address: "a:1", Phase: phase, Err: tt.err})
				if got := effectNames(d); got != want {
					t.Errorf("effects %q, want %q", got, want)
				}
				lb := newDeployment(&sdam.Model{Seeds: []string{"a:1"}, LoadBalanced: true})
				lb.now, lb.fx = lb.HandleError(lb.now, &sdam.ApplicationError{
					Address: "a:1", Phase: phase, Err: tt.err, ServiceID: &bson.ObjectID{7},
				})
				if got := len(lb.fx.Clear) == 1; got != tt.balanced[i] || lb.types() != "LoadBalanced a:1=LoadBalancer" {
					t.Errorf("behind a load balancer: cleared %t, want %t; %s", got, tt.balanced[i], lb.types())
				}
			})
		}
	}
}

// Only load balancers are cleared by service. Elsewhere the whole pool is cleared, even if a connection names a
// service.
//
// CMAP, "Clearing a Connection Pool".
func TestOnlyALoadBalancerClearsByService(t *testing.T) {
	service := bson.ObjectID{7}
	e := &sdam.ApplicationError{
		Address: "a:1", ServiceID: &service, Phase: sdamtable.AfterHandshake, Err: fault.NetworkError{Err: errors.New("reset")},
	}
	for _, balanced := range []bool{false, true} {
		m := &sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"}
		if balanced {
			m = &sdam.Model{Seeds: []string{"a:1"}, LoadBalanced: true}
		}
		d := newDeployment(m)
		if !balanced {
			d.apply(member("a:1", description.RSPrimary, "a:1"))
		}
		_, fx := d.HandleError(d.now, e)
		if len(fx.Clear) != 1 || (fx.Clear[0].ServiceID != nil) != balanced {
			t.Errorf("load balanced %t: cleared %+v", balanced, fx.Clear)
		}
	}
}
