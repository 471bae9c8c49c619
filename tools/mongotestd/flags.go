package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/javascript"
)

// settings holds the values of the flags.
type settings struct {
	topology, version, host, auth, certificate string
	authDB                                     string
	nodes, port                                int
	data                                       string
	tls, log, noScripting                      bool
	ui                                         page
}

func newFlags(complaints io.Writer) (*flag.FlagSet, *settings) {
	s := &settings{}
	flags := flag.NewFlagSet("mongotestd", flag.ContinueOnError)
	flags.SetOutput(complaints)
	flags.StringVar(&s.topology, "topology", "standalone", "standalone, replicaset, sharded or loadbalanced")
	flags.IntVar(&s.nodes, "nodes", 0, "`number` of members or routers (default 1, for a replica set 3, for a cluster 2)")
	flags.StringVar(&s.version, "version", mongotest.DefaultVersion, "server `version` to answer as, 4.2 to 9.0")
	flags.StringVar(&s.host, "host", "127.0.0.1", "`address` to listen on")
	flags.IntVar(&s.port, "port", 0, "`port` of the first node, the others take the ports after it; 0 picks free ones")
	flags.StringVar(&s.auth, "auth", "", "ask for authentication, with this `user:password`")
	flags.StringVar(&s.authDB, "authdb", "admin", "the `database` of that user, which clients name as authSource")
	flags.BoolVar(&s.tls, "tls", false, "speak TLS, with a certificate that the connection string says how to trust")
	flags.StringVar(&s.certificate, "certificate", "", "speak TLS with the certificate and key of this PEM `file`")
	flags.Var(&s.ui, "ui", "show the deployment on a page, at `address` or at "+defaultPage+", with buttons that disturb it")
	flags.StringVar(&s.data, "data", "", "load what the `file` holds, if it is there, and save it again at the end")
	flags.BoolVar(&s.noScripting, "noscripting", false, "run no JavaScript: $where, $function, $accumulator and mapReduce fail")
	flags.BoolVar(&s.log, "log", false, "print commands as they arrive, and errors and drops, to the standard error output")
	return flags, s
}

// defaultPage is the address of the page unless -ui=ADDRESS sets another one.
const defaultPage = "127.0.0.1:27080"

// page is the flag -ui, whose value is optional.
type page string

func (p *page) String() string   { return string(*p) }
func (p *page) IsBoolFlag() bool { return true }

// joinPage turns -ui ADDRESS into -ui=ADDRESS, because the flag package does not take the next argument as an optional value.
func joinPage(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if arg := args[i]; (arg == "-ui" || arg == "--ui") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			out = append(out, arg+"="+args[i])
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// Set sets the address. The flag package passes "true" for a flag without a value.
func (p *page) Set(text string) error {
	switch text {
	case "true":
		*p = defaultPage
		return nil
	case "false":
		*p = ""
		return nil
	}
	host, _, err := net.SplitHostPort(text)
	if err != nil {
		return errors.New("it is written -ui or -ui HOST:PORT")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("the page is only for this machine: its address is localhost, 127.0.0.1 or [::1]")
	}
	*p = page(text)
	return nil
}

// options turns the flags into options of the deployment. rest holds the arguments after the flags.
func (s *settings) options(rest []string) ([]mongotest.Option, error) {
	if len(rest) > 0 {
		return nil, fmt.Errorf("unexpected argument %q", rest[0])
	}
	shape, nodes, err := s.shape()
	if err != nil {
		return nil, err
	}
	if last := s.port + nodes - 1; s.port < 0 || s.port > 0 && last > 65535 {
		return nil, fmt.Errorf("-port %d: %d nodes need ports below 65536", s.port, nodes)
	}
	options := []mongotest.Option{
		shape, mongotest.Version(s.version), mongotest.Listen(s.host, s.port), mongotest.NoCommands(),
	}
	if !s.noScripting {
		options = append(options, javascript.Enable())
	}
	if s.auth != "" {
		user, password, ok := strings.Cut(s.auth, ":")
		if !ok || user == "" || password == "" {
			return nil, errors.New("-auth needs user:password")
		}
		options = append(options, mongotest.RequireAuth(), mongotest.WithUser(mongotest.User{Name: user, DB: s.authDB, Password: password}))
	}
	return options, nil
}

// shape returns the topology and the number of its nodes.
func (s *settings) shape() (mongotest.Option, int, error) {
	nodes := s.nodes
	or := func(otherwise int) int {
		if nodes == 0 {
			nodes = otherwise
		}
		return nodes
	}
	if nodes < 0 {
		return nil, 0, fmt.Errorf("-nodes %d is not a number of nodes", nodes)
	}
	switch s.topology {
	case "standalone":
		if or(1) != 1 {
			return nil, 0, fmt.Errorf("-nodes %d: a standalone deployment has one node", nodes)
		}
		return mongotest.Standalone(), 1, nil
	case "replicaset":
		return mongotest.ReplicaSet(or(3)), nodes, nil
	case "sharded":
		return mongotest.Sharded(or(2)), nodes, nil
	case "loadbalanced":
		return mongotest.LoadBalanced(or(2)), 1, nil // they share the port of the load balancer
	}
	return nil, 0, fmt.Errorf("-topology %q is not one of standalone, replicaset, sharded, loadbalanced", s.topology)
}
