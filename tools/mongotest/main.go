// Mongotest serves an in-memory MongoDB deployment until it is interrupted. It prints the connection string on one line.
//
//	go run ./tools/mongotest -topology replicaset -nodes 3 -version 8.0 -port 27017
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/specdrivers/onion/runtime/mongotest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "mongotest:", strings.TrimPrefix(err.Error(), "mongotest: "))
		}
		os.Exit(2)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	options, err := parse(args)
	if err != nil {
		return err
	}
	d, err := mongotest.New(options...)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err := fmt.Fprintln(out, d.URI()); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func parse(args []string) ([]mongotest.Option, error) {
	flags := flag.NewFlagSet("mongotest", flag.ContinueOnError)
	topology := flags.String("topology", "standalone", "standalone, replicaset, sharded or loadbalanced")
	nodes := flags.Int("nodes", 0, "`number` of members or routers (default 1, for a replica set 3, else 2)")
	version := flags.String("version", mongotest.DefaultVersion, "server `version` to answer as")
	host := flags.String("host", "127.0.0.1", "`address` to listen on")
	port := flags.Int("port", 0, "`port` of the first node; 0 picks free ones")
	auth := flags.String("auth", "", "ask for authentication, with this `user:password`")
	certificate := flags.String("tls", "", "speak TLS with the certificate and key of this PEM `file`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	options := []mongotest.Option{mongotest.Version(*version), mongotest.Listen(*host, *port), mongotest.NoCommands()}
	shape, err := shapeOf(*topology, *nodes)
	if err != nil {
		return nil, err
	}
	options = append(options, shape)
	if *auth != "" {
		user, password, ok := strings.Cut(*auth, ":")
		if !ok {
			return nil, errors.New("-auth wants user:password")
		}
		options = append(options, mongotest.Auth(user, password))
	}
	if *certificate != "" {
		pair, err := tls.LoadX509KeyPair(*certificate, *certificate)
		if err != nil {
			return nil, fmt.Errorf("-tls: %w", err)
		}
		options = append(options, mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}))
	}
	return options, nil
}

func shapeOf(topology string, nodes int) (mongotest.Option, error) {
	or := func(n int) int {
		if nodes > 0 {
			return nodes
		}
		return n
	}
	switch topology {
	case "standalone":
		if or(1) != 1 {
			return nil, errors.New("a standalone deployment has one node")
		}
		return mongotest.Standalone(), nil
	case "replicaset":
		return mongotest.ReplicaSet(or(3)), nil
	case "sharded":
		return mongotest.Sharded(or(2)), nil
	case "loadbalanced":
		return mongotest.LoadBalanced(or(2)), nil
	}
	return nil, fmt.Errorf("-topology %q is not one of standalone, replicaset, sharded, loadbalanced", topology)
}
