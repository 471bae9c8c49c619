package main

const cursorDoc = "find_getmore_killcursors_commands/find_getmore_killcursors_commands.md"

// readGetMore reads the fields of getMore from the declaration of the command.
func readGetMore(open openFunc) ([]table, error) {
	d, err := open(cursorDoc)
	if err != nil {
		return nil, err
	}
	fields, err := d.readOptions("GetMoreCommand")
	if err != nil {
		return nil, err
	}
	out := table{file: "commands/getMore.yaml", within: []step{{"operations", "name", "GetMore"}}, list: "args", key: "field"}
	for _, f := range fields {
		out.rows = append(out.rows, row{key: f.name, facts: []fact{{"field", f.name}, {"type", f.typ}}})
	}
	return []table{out}, nil
}
