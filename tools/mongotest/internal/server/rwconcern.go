// The commands setDefaultRWConcern and getDefaultRWConcern: the concerns of commands that name none.
//
// Left out: the default is not written to config.settings, and inMemory changes nothing.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func setDefaultRWConcern(_ context.Context, r *request) (bson.Raw, error) {
	if err := r.checkDefaults(); err != nil {
		return nil, err
	}
	read, write := r.Body.Lookup("defaultReadConcern"), r.Body.Lookup("defaultWriteConcern")
	if read.IsZero() && write.IsZero() {
		return nil, status.Errorf(errcode.BadValue,
			"At least one of the \"defaultReadConcern\" or \"defaultWriteConcern\" fields must be present")
	}
	level, err := r.defaultRead(read)
	if err != nil {
		return nil, err
	}
	wc, err := r.defaultWrite(write)
	if err != nil {
		return nil, err
	}
	d := &r.cluster.defaults
	d.mu.Lock()
	defer d.mu.Unlock()
	if !read.IsZero() {
		d.read = level
	}
	if !write.IsZero() {
		d.write = wc
	}
	d.changed, d.at = r.cluster.Now(), r.cluster.clock.GossipedTime()
	return r.describeDefaults(d), nil
}

func getDefaultRWConcern(_ context.Context, r *request) (bson.Raw, error) {
	if err := r.checkDefaults(); err != nil {
		return nil, err
	}
	d := &r.cluster.defaults
	d.mu.Lock()
	defer d.mu.Unlock()
	return r.describeDefaults(d), nil
}

// checkDefaults refuses the commands on a deployment without replication.
func (r *request) checkDefaults() error {
	if r.cluster.Shape == Standalone {
		return status.Errorf(51300, "'%s' is not supported on standalone nodes.", r.Name)
	}
	return nil
}

// defaultRead reads a default read concern. An empty one restores the implicit default.
func (r *request) defaultRead(v bson.RawValue) (string, error) {
	rc, err := concern.ReadRead(v, r.Wire)
	switch {
	case err != nil:
		return "", err
	case !rc.Named:
		return "", nil
	case rc.Level == concern.Linearizable || rc.Level == concern.Snapshot:
		return "", status.Errorf(errcode.BadValue, "level: '%s' is not suitable for the default read concern", rc.Level)
	}
	return rc.Level, nil
}

// defaultWrite reads a default write concern. An empty one restores the implicit default, up to version 4.4.
func (r *request) defaultWrite(v bson.RawValue) (*concern.Write, error) {
	wc, err := concern.ReadWrite(v, r.Wire, nil, false)
	unset := wc.Source == concern.ImplicitDefault
	switch {
	case err != nil:
		return nil, err
	case unset && r.Wire >= wire.Server50 && !v.IsZero() && r.cluster.defaults.writeConcern() != nil:
		return nil, status.Errorf(errcode.IllegalOperation, "The global default write concern cannot be unset once it is set.")
	case unset:
		return nil, nil
	case wc.IsUnacknowledged():
		return nil, status.Errorf(errcode.BadValue, "Unacknowledged write concern is not suitable for the default write concern")
	}
	wc.Source = concern.CustomDefault
	return &wc, nil
}

// describeDefaults returns the reply of both commands; d.mu is held. Servers before 5.0 show only explicit settings.
func (r *request) describeDefaults(d *defaultConcerns) bson.Raw {
	f := reply.New()
	source := func(set bool) string {
		if set {
			return "global"
		}
		return "implicit"
	}
	recent := r.Wire >= wire.Server50
	if level := d.read; level != "" {
		f.Value("defaultReadConcern", bson.Doc("level", level))
	} else if recent {
		f.Value("defaultReadConcern", bson.Doc("level", concern.Local))
	}
	if d.write != nil {
		f.Doc("defaultWriteConcern", d.write.WithoutProvenance())
	} else if recent && r.cluster.majorityByDefault() {
		f.Value("defaultWriteConcern", bson.Doc("w", concern.Majority, "wtimeout", int32(0)))
	}
	if !d.changed.IsZero() {
		f.Value("updateOpTime", d.at).Date("updateWallClockTime", d.changed.UnixMilli())
	}
	if recent {
		f.String("defaultWriteConcernSource", source(d.write != nil)).String("defaultReadConcernSource", source(d.read != ""))
	}
	return f.Date("localUpdateWallClockTime", r.cluster.Now().UnixMilli()).Done()
}
