package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// runSuites runs the suites that the settings choose, one after the other, so their times mean something.
func runSuites(ctx context.Context, s *settings, suites []suite, out io.Writer) ([]*result, error) {
	cache := s.cache
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		cache = filepath.Join(user, "onion-foreign")
	}
	scratch, err := os.MkdirTemp("", "foreign-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	program := ""
	if s.server == "" {
		if program, err = buildServer(ctx, s.root, scratch); err != nil {
			return nil, err
		}
	}
	begin := time.Now()
	var results []*result
	for _, su := range suites {
		if s.run != "" {
			su.Sample = []string{s.run}
		}
		if !s.match.MatchString(su.Name) || s.sample && len(su.Sample) == 0 {
			continue
		}
		for _, sv := range su.chosenServers(s) {
			r := &result{suite: su, server: sv}
			results = append(results, r)
			if s.budget > 0 && time.Since(begin) > s.budget {
				r.missing = "no time was left"
				continue
			}
			fmt.Fprintf(out, "%s on %v\n", su.Name, sv)
			if err := r.fill(ctx, s, cache, program, scratch); err != nil {
				return nil, fmt.Errorf("%s on %v: %w", su.Name, sv, err)
			}
			fmt.Fprintf(out, "  %d passed, %d failed, %d skipped: %s\n", r.count(passed), r.count(failed), r.count(skipped), r.verdict())
			printDetail(out, r)
		}
	}
	if len(results) == 0 {
		return nil, errors.New("no suite matches")
	}
	return results, ctx.Err()
}

// chosenServers returns the servers that the suite runs against: for a sample, or once, only the first.
func (su *suite) chosenServers(s *settings) []server {
	var servers []server
	for _, sv := range su.Servers {
		if s.on.MatchString(sv.String()) {
			servers = append(servers, sv)
		}
	}
	if (s.sample || s.once) && len(servers) > 1 {
		return servers[:1]
	}
	return servers
}

// fill runs the suite. An error is a fault of the tool or its tables: failures of tests and a suite that cannot run are in r.
func (r *result) fill(ctx context.Context, s *settings, cache, program, scratch string) error {
	err := r.try(ctx, s, cache, program, scratch)
	if m, ok := errors.AsType[missingError](err); ok {
		r.missing = m.what
		return nil
	}
	return err
}

func (r *result) try(ctx context.Context, s *settings, cache, program, scratch string) error {
	for _, name := range r.suite.Needs {
		if _, err := exec.LookPath(name); err != nil {
			return missingError{name + " is not installed"}
		}
	}
	folder, err := fetch(ctx, cache, r.suite.Source)
	if err != nil {
		return err
	}
	uri := s.server
	if uri == "" {
		d, err := start(ctx, program, r.server)
		if err != nil {
			return err
		}
		defer func() { r.memory = d.stop() }()
		uri = d.uri
	}
	begin := time.Now()
	var log bytes.Buffer
	r.all, err = job{
		suite: r.suite, server: r.server, uri: uri, folder: folder, sample: s.sample, root: s.root,
		scratch: cmp.Or(s.keep, scratch), specs: s.specs,
	}.run(ctx, &log)
	r.took = time.Since(begin)
	if err != nil {
		return err
	}
	r.judge(s.sample, s.server != "")
	if r.isRed(s.required) && log.Len() > 0 {
		text := log.Bytes()
		fmt.Fprintf(os.Stderr, "%s\n", text[max(0, len(text)-4000):]) // its end says most
	}
	return nil
}
