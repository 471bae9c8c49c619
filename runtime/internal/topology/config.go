package topology

import (
	"context"
	"math/rand/v2"
	"os"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/observe"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Config says what a topology watches and how. Hosts, Options and Dialer are required.
type Config struct {
	Hosts   []string        // "host:port" each
	Options *options.Client // merged from the connection string and the program

	// SRVName is the name whose SRV records are polled, with SRVService. It is empty when there is none. See
	// uri.SRVName.
	SRVName    string
	SRVService string
	Resolver   options.Resolver

	Dialer      *conn.Dialer
	Metadata    *conn.Metadata // what connections tell the server about the program; nil sends nothing
	ServerAPI   []byte         // the elements that declare the stable API, nil without one
	Compressors []wire.CompressorID
	ZlibLevel   int
	Auth        *auth.Authenticator // nil without authentication

	// Log receives the messages of this package and of the pools; nil when nothing is logged.
	Log *observe.Logger

	// RescanInterval replaces the minimum time between two look-ups of SRV records, for tests; 0 means the specified
	// minimum.
	RescanInterval time.Duration

	dialMonitor func(ctx context.Context, address string) (monitorConn, error)           // nil = through Dialer
	connect     func(ctx context.Context, address string, id int64) (*Connection, error) // nil = through Dialer
	random      func(n int) int                                                          // nil = math/rand
	getenv      func(string) string                                                      // nil = os.Getenv
}

// settings are the client's options that this package uses, with their defaults applied.
type settings struct {
	heartbeatFrequency     time.Duration
	connectTimeout         time.Duration // 0 = no limit
	localThreshold         time.Duration
	serverSelectionTimeout time.Duration
	socketTimeout          time.Duration
	streaming              bool
	loadBalanced           bool
	selector               options.ServerSelector
}

func settingsOf(cfg *Config) settings {
	o := cfg.Options
	return settings{
		heartbeatFrequency:     max(option.Or(o.HeartbeatFrequency, options.DefaultHeartbeatFrequency), selecttable.MinHeartbeatFrequency),
		connectTimeout:         option.Or(o.ConnectTimeout, options.DefaultConnectTimeout),
		localThreshold:         option.Or(o.LocalThreshold, options.DefaultLocalThreshold),
		serverSelectionTimeout: option.Or(o.ServerSelectionTimeout, options.DefaultServerSelectionTimeout),
		socketTimeout:          socketTimeout(o),
		streaming:              shouldStream(option.Or(o.ServerMonitoringMode, options.MonitorAuto), cfg.getenv),
		loadBalanced:           option.Or(o.LoadBalanced, options.DefaultLoadBalanced),
		selector:               o.ServerSelector,
	}
}

// socketTimeout limits a single read or write. A timeout for whole operations replaces it.
func socketTimeout(o *options.Client) time.Duration {
	if o.Timeout != nil {
		return 0
	}
	return option.Or(o.SocketTimeout, options.DefaultSocketTimeout)
}

// shouldStream reports whether monitors stream if the server supports it. On a function-as-a-service platform they
// stream only if the mode asks for it.
//
// Server Monitoring, "serverMonitoringMode".
func shouldStream(mode options.ServerMonitoringMode, getenv func(string) string) bool {
	switch mode {
	case options.MonitorStream:
		return true
	case options.MonitorPoll:
		return false
	}
	return authtable.DetectFaaS(getenv).Name == ""
}

// withDefaults fills in what the caller left out.
func (cfg Config) withDefaults() Config {
	if cfg.Options == nil {
		cfg.Options = &options.Client{}
	}
	if cfg.random == nil {
		cfg.random = rand.IntN
	}
	if cfg.getenv == nil {
		cfg.getenv = os.Getenv
	}
	return cfg
}

// handshake returns what a connection tells the server about the client.
func (cfg *Config) handshake() conn.Handshake {
	h := conn.Handshake{Compressors: cfg.Compressors, ZlibLevel: cfg.ZlibLevel, ServerAPI: cfg.ServerAPI}
	if cfg.Metadata != nil {
		h.Metadata = cfg.Metadata.Document()
	}
	return h
}

// newTopologyID makes the id that events and messages use for a topology.
func newTopologyID() bson.ObjectID { return bson.NewObjectID() }
