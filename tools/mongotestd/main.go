// Mongotest serves an in-memory MongoDB deployment until it is interrupted. It prints the connection string on one line.
//
//	go run ./tools/mongotestd -topology replicaset -nodes 3 -version 8.0 -port 27017
//
// With -ui it serves a page that shows the deployment. Its buttons step the primary down, kill and partition nodes and
// set fail points, so a person can watch how a driver reacts. With -log it prints the commands as they arrive.
// With -data it loads a file of documents, if the file exists, and saves the stored documents to it at the end.
//
// It runs the JavaScript of $where, $function, $accumulator and mapReduce, as a server does. -noscripting turns that off.
//
// It listens on loopback only, unless -host says otherwise. Its exit code is 0 when it is interrupted (SIGINT or SIGTERM),
// 1 when it cannot listen, and 2 when its arguments make no sense.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run serves until ctx ends, and returns the exit code.
func run(ctx context.Context, args []string, out, complaints io.Writer) int {
	flags, s := newFlags(complaints)
	err := flags.Parse(joinPage(args))
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2 // the flag package has printed the reason
	}
	options, err := s.options(flags.Args())
	if err == nil {
		err = serve(ctx, s, options, out, complaints)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(complaints, "mongotestd:", strings.TrimPrefix(err.Error(), "mongotest: "))
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return 1
	}
	flags.Usage()
	return 2
}

// serve prints the connection string and waits for the end of ctx.
func serve(ctx context.Context, s *settings, options []mongotest.Option, out, complaints io.Writer) error {
	trust := ""
	if s.tls || s.certificate != "" {
		secured, authority, err := s.tlsConfig()
		if err != nil {
			return err
		}
		if authority != "" {
			defer os.Remove(authority)
		}
		options, trust = append(options, mongotest.TLS(secured)), authority
	}
	if s.log {
		options = append(options, mongotest.Observe(newCommandLog(complaints).observer()))
	}
	var shown *pageSource
	if s.ui != "" {
		shown = newPageSource(s)
		options = append(options, mongotest.Observe(shown.observer()))
	}
	d, err := mongotest.New(options...)
	if err != nil {
		return err
	}
	defer closeSoon(d.Close)
	if s.data != "" {
		if err := load(ctx, addAuthority(d.URI(), trust), s.data); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(out, addAuthority(d.URI(), trust)); err != nil {
		return err
	}
	if shown != nil {
		stop, err := shown.serve(d, string(s.ui), out)
		if err != nil {
			return err
		}
		defer stop()
	}
	giveBackMemory(ctx)
	if s.data != "" {
		return save(d, s.data)
	}
	return nil
}

// lastWait is how long the program waits at its end for the deployment to close.
const lastWait = 50 * time.Millisecond

// closeSoon closes cleanly if that is quick. It does not wait longer, because everything ends with the process.
func closeSoon(closing func()) {
	done := make(chan struct{})
	go func() {
		closing()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(lastWait):
	}
}
