package mongo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"

	"github.com/specdrivers/onion/generated/core/stableapi"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/dns"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/internal/tracing"
	"github.com/specdrivers/onion/runtime/internal/web"
	"github.com/specdrivers/onion/runtime/uri"
)

// Connect makes a client for the deployment that a connection string names. It does not wait for a server: it starts
// the monitors, and the first operation waits until they have found one. Call Ping to wait here. Only the DNS lookup of
// a mongodb+srv string happens at once, and ctx bounds it.
//
// A field that is set in opts overrides the connection string, which overrides a TXT record. The field ConnectionString
// takes the place of the argument.
func Connect(ctx context.Context, connectionString string, opts ...*options.Client) (*Client, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	var over *options.Client
	for _, o := range opts {
		over = options.Merge(over, o)
	}
	if over != nil && over.ConnectionString != nil {
		connectionString = *over.ConnectionString
	}
	cs, err := uri.ParseWith(connectionString, over)
	if err != nil {
		return nil, err
	}
	if _, err := cs.Credential(); err != nil {
		return nil, err // before the DNS lookup, whose error would hide it
	}
	srvName, srvService := cs.SRVName()
	if cs, err = uri.Resolve(ctx, cs, resolver(cs.Options)); err != nil {
		return nil, err
	}
	b := builder{cs: cs, o: cs.Options, srvName: srvName, srvService: srvService}
	client, err := b.build(ctx)
	if err != nil {
		b.log.Close() // the error that matters is err
	}
	return client, err
}

func resolver(o *options.Client) options.Resolver {
	if o.Resolver != nil {
		return o.Resolver
	}
	return dns.System()
}

// builder puts a client together.
type builder struct {
	cs                  *uri.ConnString
	o                   *options.Client
	srvName, srvService string

	log      *observe.Logger
	web      web.Client
	auth     *auth.Authenticator
	metadata *conn.Metadata
	dialer   *conn.Dialer
}

func (b *builder) build(ctx context.Context) (*Client, error) {
	encrypts, err := encrypterOf(b.o.AutoEncryption)
	if err != nil {
		return nil, err
	}
	b.log = observe.NewLogger(b.o, os.Getenv)
	for _, warning := range b.cs.Warnings {
		b.log.Warn(ctx, warning)
	}
	credential, err := b.cs.Credential()
	if err != nil {
		return nil, err
	}
	b.web = web.New(b.o.HTTPClient)
	if b.auth, err = auth.New(credential, auth.Config{
		Web: b.web, Getenv: os.Getenv,
		ConnectTimeout: option.Or(b.o.ConnectTimeout, options.DefaultConnectTimeout), Timed: b.o.Timeout != nil,
	}); err != nil {
		return nil, err
	}
	if err := b.makeDialer(); err != nil {
		return nil, err
	}
	if err := b.describeClient(); err != nil {
		return nil, err
	}
	c := b.newClient()
	if encrypts != nil {
		if err := encrypts.open(ctx, b, c); err != nil {
			return nil, err
		}
	}
	c.topology.Connect()
	return c, nil
}

// encrypter sets up automatic encryption. Only *AutoEncryption implements it, so a program that names no AutoEncryption
// does not link the encryption code.
type encrypter interface {
	open(ctx context.Context, b *builder, c *Client) error
}

func encrypterOf(o options.AutoEncrypter) (encrypter, error) {
	if o == nil {
		return nil, nil
	}
	e, ok := o.(encrypter)
	if !ok {
		return nil, fmt.Errorf("mongo: AutoEncryption is a %T: set it to &mongo.AutoEncryption{...}", o)
	}
	return e, nil
}

func (b *builder) newClient() *Client {
	api := stableapi.Append(nil, b.o.ServerAPI)
	clock := &session.Clock{}
	t := topology.New(topology.Config{
		Options: b.o, Hosts: b.cs.Hosts, SRVName: b.srvName, SRVService: b.srvService, Resolver: resolver(b.o),
		Dialer: b.dialer, Metadata: b.metadata, Auth: b.auth, ServerAPI: api, Log: b.log,
		Compressors: compressors(b.o.Compressors), ZlibLevel: option.Or(b.o.ZlibLevel, options.DefaultZlibLevel),
	})
	sessions := session.NewPool()
	scope := scope{}.narrow(options.Collection{
		ReadConcern: b.o.ReadConcern, ReadPreference: b.o.ReadPreference, WriteConcern: b.o.WriteConcern,
		Timeout: b.o.Timeout, Marshal: b.o.Marshal, Unmarshal: b.o.Unmarshal, Codecs: b.o.Codecs,
	})
	c := &Client{scope: scope, shared: &shared{
		topology: t, sessions: sessions, metadata: b.metadata, dialer: b.dialer, log: b.log,
		exec: &exec.Executor{
			Topology: t, Sessions: sessions, Clock: clock, Auth: b.auth, ServerAPI: api, Marshal: scope.marshal,
			Commands: &exec.Publisher{
				Events:  observe.Commands{Monitor: b.o.CommandMonitor, Log: b.log},
				Tracing: tracing.NewSettings(b.o.Tracing, os.Getenv),
			},
			RetryReads:         option.Or(b.o.RetryReads, options.DefaultRetryReads),
			RetryWrites:        option.Or(b.o.RetryWrites, options.DefaultRetryWrites),
			MaxAdaptiveRetries: option.Or(b.o.MaxAdaptiveRetries, options.DefaultMaxAdaptiveRetries), Random: rand.Float64,
			ServerSelectionTimeout: option.Or(b.o.ServerSelectionTimeout, options.DefaultServerSelectionTimeout),
			SocketTimeout:          option.Or(b.o.SocketTimeout, options.DefaultSocketTimeout),
			Retarget:               option.Or(b.o.EnableOverloadRetargeting, options.DefaultEnableOverloadRetargeting),
		},
	}}
	return c
}

// describeClient builds what connections tell the server about the program.
func (b *builder) describeClient() error {
	var infos []conn.DriverInfo
	if b.o.DriverInfo != nil {
		infos = append(infos, conn.DriverInfo(*b.o.DriverInfo))
	}
	var err error
	b.metadata, err = conn.NewMetadata(option.Or(b.o.AppName, ""), conn.DetectEnvironment(os.Getenv, conn.FileExists), infos...)
	return err
}

func (b *builder) makeDialer() error {
	d := &conn.Dialer{ConnectTimeout: option.Or(b.o.ConnectTimeout, options.DefaultConnectTimeout), RequestIDs: new(atomic.Int32)}
	if b.o.Dialer != nil {
		d.NetDialer = b.o.Dialer
	}
	if host := option.Or(b.o.ProxyHost, ""); host != "" {
		d.Proxy = &conn.Proxy{
			Host: host, Port: option.Or(b.o.ProxyPort, options.DefaultProxyPort),
			Username: option.Or(b.o.ProxyUsername, ""), Password: option.Or(b.o.ProxyPassword, ""),
		}
	}
	if b.usesTLS() {
		var err error
		if d.TLS, err = conn.NewTLS(b.tlsOptions()); err != nil {
			return err
		}
	}
	b.dialer = d
	return nil
}

// usesTLS reports whether connections use TLS: because tls is true, or because it is unset and another TLS option is
// set.
func (b *builder) usesTLS() bool {
	o := b.o
	if o.TLS != nil {
		return *o.TLS
	}
	return o.TLSConfig != nil || o.TLSCAFile != nil || o.TLSCertificateKeyFile != nil
}

func (b *builder) tlsOptions() conn.TLSOptions {
	o := b.o
	return conn.TLSOptions{
		CAFile: option.Or(o.TLSCAFile, ""), CertificateKeyFile: option.Or(o.TLSCertificateKeyFile, ""),
		CertificateKeyFilePassword: option.Or(o.TLSCertificateKeyFilePassword, ""),
		Insecure:                   option.Or(o.TLSInsecure, options.DefaultTLSInsecure),
		AllowInvalidCertificates:   option.Or(o.TLSAllowInvalidCertificates, options.DefaultTLSAllowInvalidCertificates),
		AllowInvalidHostnames:      option.Or(o.TLSAllowInvalidHostnames, options.DefaultTLSAllowInvalidHostnames),
		DisableOCSPEndpointCheck:   option.Or(o.TLSDisableOCSPEndpointCheck, options.DefaultTLSDisableOCSPEndpointCheck),
		DisableCertificateRevocationCheck: option.Or(o.TLSDisableCertificateRevocationCheck,
			options.DefaultTLSDisableCertificateRevocationCheck),
		Base: o.TLSConfig,
		Web:  b.web,
	}
}

// compressors returns the named compressors that the driver knows, in order.
func compressors(names []string) []wire.CompressorID {
	var ids []wire.CompressorID
	for _, name := range names {
		if id, ok := wire.CompressorByName(name); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

var _ options.Resolver = (*net.Resolver)(nil)
