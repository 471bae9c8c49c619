package main

// goCode is what a run has read of the module's Go files. Runs that share one read them once.
type goCode struct {
	cited    []citation
	named    map[string]bool
	declared map[string]bool
}

// citations are the sections that comments cite.
func (c *goCode) citations(root string, names map[string]string) ([]citation, error) {
	if c == nil {
		return goCitations(root, names)
	}
	var err error
	if c.cited == nil {
		c.cited, err = goCitations(root, names)
	}
	return c.cited, err
}

// tests are the names of tests.
func (c *goCode) tests(root string) (map[string]bool, error) {
	if c == nil {
		return goTests(root)
	}
	var err error
	if c.named == nil {
		c.named, err = goTests(root)
	}
	return c.named, err
}

// methods are the exported functions and methods of a folder.
func (c *goCode) methods(folder string) (map[string]bool, error) {
	if c == nil {
		return goMethods(folder)
	}
	var err error
	if c.declared == nil {
		c.declared, err = goMethods(folder)
	}
	return c.declared, err
}
