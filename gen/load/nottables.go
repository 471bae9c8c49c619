package load

import "slices"

// NonTableFiles lists the files and folders in specs that gen does not read as tables: scenarios, and lists for tools.
func NonTableFiles() []string {
	return []string{"cases", "unified", "skips.yaml", "pending.yaml", "equivalents.yaml", "seed-rules.yaml",
		"dns-records.yaml", "coverage.yaml", "literals.yaml", "sync"}
}

// FilesWithoutBehaviour lists everything in specs that says nothing about what the driver does: NonTableFiles, and the tables of
// the documentation.
func FilesWithoutBehaviour() []string {
	return slices.Concat(NonTableFiles(), []string{"departures.yaml", "documentation.yaml", "evidence", "evidence.yaml",
		"documents.yaml", "packages.yaml"})
}
