package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const unreleased = "## Unreleased\n"

// writeChangelog turns the unreleased section into the section of a version with its day. It does nothing without a changelog.
func (r *repository) writeChangelog(out io.Writer, version string, day time.Time) error {
	name := filepath.Join(r.dir, "CHANGELOG.md")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before, after, found := strings.Cut(string(data), unreleased)
	news, _, _ := strings.Cut(after, "\n## ")
	if !found || strings.TrimSpace(news) == "" {
		return fmt.Errorf("CHANGELOG.md has nothing below %q: say what %s brings", strings.TrimSpace(unreleased), version)
	}
	heading := fmt.Sprintf("%s\n## %s (%s)\n", unreleased, version, day.Format(time.DateOnly))
	if err := os.WriteFile(name, []byte(before+heading+after), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "CHANGELOG.md: what was unreleased is %s\n", version)
	return nil
}
