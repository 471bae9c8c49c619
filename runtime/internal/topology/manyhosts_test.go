package topology_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

type refusingDialer struct{}

func (refusingDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("refused")
}

// Each of ten thousand monitors waits to report its server. Close does not wait until they all have, which took
// minutes.
func TestTenThousandHostsClose(t *testing.T) {
	hosts := make([]string, 10_000)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%d.example.com:27017", i)
	}
	top := topology.New(topology.Config{
		Hosts: hosts, Options: &options.Client{}, Dialer: &conn.Dialer{NetDialer: refusingDialer{}, ConnectTimeout: time.Minute},
	})
	top.Connect()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := top.Close(ctx); err != nil {
		t.Error(err)
	}
}
