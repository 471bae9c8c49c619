package auth

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// x509 is MONGODB-X509: the certificate of the TLS connection says who the client is. A value is also its
// own exchange, because there is nothing to remember.
type x509 struct {
	mech, source string
	username     string // empty lets the server take the name from the certificate
}

func (m *x509) name() string { return m.mech }

func (m *x509) begin(context.Context, string) (exchange, error) { return m, nil }

func (m *x509) speculate(context.Context) (bson.Raw, error) { return m.command(m.source), nil }

func (m *x509) finish(ctx context.Context, c *conn.Conn, answered bson.Raw) error {
	if answered != nil {
		return nil
	}
	_, err := run(ctx, c, m.source, m.command(""))
	return err
}

func (m *x509) command(db string) bson.Raw {
	command := authtable.Authenticate{Mechanism: m.mech, User: m.username, DB: db}
	return command.Append(nil)
}
