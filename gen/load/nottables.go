package load

import "slices"

// NotTables lists the files and folders in specs that gen does not read as tables: scenarios, and lists for tools.
func NotTables() []string {
	return []string{"cases", "unified", "skips.yaml", "pending.yaml", "equivalents.yaml", "seed-rules.yaml",
		"dns-records.yaml", "coverage.yaml", "literals.yaml", "sync"}
}

// WithoutBehaviour lists everything in specs that says nothing about what the driver does: NotTables, and the tables of
// the documentation.
func WithoutBehaviour() []string {
	return slices.Concat(NotTables(), []string{"departures.yaml", "documentation.yaml", "evidence", "evidence.yaml",
		"documents.yaml", "packages.yaml"})
}
