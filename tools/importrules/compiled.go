package main

// listCompiled asks the go command for the packages of the driver and what is generated for it, and for the compiled form of all that
// they import.
func listCompiled(root string) ([]goPackage, map[string]string, error) {
	all, err := runList(root, "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles", "./runtime/...", "./generated/...")
	if err != nil {
		return nil, nil, err
	}
	var packages []goPackage
	compiled := map[string]string{}
	for _, p := range all {
		compiled[p.ImportPath] = p.Export
		if isOurs(p.ImportPath) && len(p.GoFiles) > 0 {
			packages = append(packages, p)
		}
	}
	return packages, compiled, nil
}
