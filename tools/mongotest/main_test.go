package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/mongo"
)

func TestServesUntilItIsInterrupted(t *testing.T) {
	for _, args := range [][]string{
		{"-topology", "standalone"}, {"-topology", "replicaset", "-version", "6.0"}, {"-topology", "sharded", "-nodes", "3"},
		{"-topology", "loadbalanced"}, {"-auth", "ada:secret"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			reader, writer := io.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- run(ctx, args, writer) }()
			line, err := bufio.NewReader(reader).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			client, err := mongo.Connect(ctx, strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Ping(ctx, nil); err != nil {
				t.Error(err)
			}
			if err := client.Close(ctx); err != nil {
				t.Error(err)
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestArgumentsThatMakeNoSense(t *testing.T) {
	for _, args := range [][]string{
		{"-topology", "ring"}, {"-topology", "standalone", "-nodes", "2"}, {"-auth", "nobody"}, {"-version", "1.0"}, {"extra"},
		{"-tls", "no such file"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
