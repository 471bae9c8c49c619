package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// ListDatabases lists the databases that match a filter.
func (c *Client) ListDatabases(ctx context.Context, filter any, opts ...*options.ListDatabases) ([]DatabaseSpecification, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	reply, err := c.listDatabases(ctx, filter, false, opts)
	if err != nil {
		return nil, err
	}
	var list []DatabaseSpecification
	for _, value := range reply.Databases.All() {
		var spec DatabaseSpecification
		if err := value.Unmarshal(&spec); err != nil {
			return nil, encode.At(err, "the reply of listDatabases")
		}
		list = append(list, spec)
	}
	return list, nil
}

// ListDatabaseNames lists the names of the databases that match a filter.
func (c *Client) ListDatabaseNames(ctx context.Context, filter any, opts ...*options.ListDatabases) ([]string, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	reply, err := c.listDatabases(ctx, filter, true, opts)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, value := range reply.Databases.All() {
		doc, _ := value.DocumentOK()
		name, _ := doc.Lookup("name").StringOK()
		names = append(names, name)
	}
	return names, nil
}

// DatabaseSpecification describes a database. With the option NameOnly it holds only the name.
type DatabaseSpecification struct {
	Name       string `bson:"name"`
	SizeOnDisk int64  `bson:"sizeOnDisk"`
	Empty      bool   `bson:"empty"`

	// Shards are the bytes on each shard of a sharded cluster, by the name of the shard.
	Shards map[string]int64 `bson:"shards,omitempty"`
}

func (c *Client) listDatabases(ctx context.Context, filter any, nameOnly bool,
	opts []*options.ListDatabases) (command.ListDatabasesReply, error) {
	given := mergeOptions(opts)
	var o options.ListDatabases
	if given != nil {
		o = *given
	}
	if nameOnly {
		o.NameOnly = new(true)
	}
	cmd := &command.ListDatabases{Options: &o}
	op := &exec.Operation{Command: cmd, DB: "admin", Timeout: c.scope.timeout}
	return runInSpan(ctx, c, op, func(ctx context.Context) (command.ListDatabasesReply, error) {
		raw, err := encode.Document(c.scope.marshal, "filter", filter)
		if err != nil {
			return command.ListDatabasesReply{}, err
		}
		if len(raw) > len(bson.EmptyDocument()) {
			cmd.Filter = raw
		}
		out, err := c.run(ctx, op)
		if err != nil {
			return command.ListDatabasesReply{}, err
		}
		return command.ParseListDatabasesReply(out.Reply)
	})
}
