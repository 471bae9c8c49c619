package shop

import "context"

// closing names nothing of the driver, and calls methods of what another file has made.
func closing(ctx context.Context, uri string) error {
	client, err := newClient(ctx, uri)
	if err != nil {
		return err
	}
	rp := client.Database("shop").ReadPreference()
	if rp.Mode() == 1 {
		return client.Ping(ctx, rp)
	}
	return client.Disconnect(ctx)
}
