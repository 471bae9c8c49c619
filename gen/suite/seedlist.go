package suite

import (
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// seedlistCase emits Initial DNS Seedlist Discovery tests, "Test Format and Use". The folder names the deployment that
// the hosts belong to.
func seedlistCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.strOr("comment")
	f.strOr("description")
	uri := f.str("uri")
	fails, _ := f.flagOr("error")
	ping, hasPing := f.flagOr("ping")
	seeds, hasSeeds := f.listOr("seeds")
	numSeeds, hasNumSeeds := f.integerOr("numSeeds")
	hosts, hasHosts := f.listOr("hosts")
	numHosts, hasNumHosts := f.integerOr("numHosts")
	options, parsed := f.value("options"), f.value("parsed_options")
	deployment := map[string]string{
		"replica-set": "ReplicaSet", "sharded": "Sharded", "load-balanced": "LoadBalanced",
	}[path.Base(c.file.Folder)]
	if deployment == "" {
		c.problemf(n, "the folder %s names no deployment", c.file.Folder)
	}
	zone := seedlistZone(c, n, uri)
	if fails {
		return []jen.Code{zone, helper("seedlist", "Fails").Call(jen.Id("t"), jen.Id("zone"), text(uri))}
	}
	body := []jen.Code{
		zone,
		jen.Id("s").Op(":=").Add(helper("seedlist", "Resolve")).Call(
			jen.Id("t"), jen.Id("zone"), helper("seedlist", deployment), text(uri)),
	}
	if hasSeeds {
		body = append(body, call("s", "Seeds", c.strs(seeds)...))
	}
	if hasNumSeeds {
		body = append(body, call("s", "NumSeeds", jen.Lit(int(numSeeds))))
	}
	if options != nil {
		body = append(body, c.options("s", options)...)
	}
	if parsed != nil {
		body = append(body, c.parsedOptions(parsed)...)
	}
	if hasHosts {
		body = append(body, call("s", "Hosts", c.strs(hosts)...))
	}
	if hasNumHosts {
		body = append(body, call("s", "NumHosts", jen.Lit(int(numHosts))))
	}
	if !hasPing || ping {
		body = append(body, call("s", "Pings"))
	}
	return body
}

// seedlistZone prints the records that resolve a host name.
func seedlistZone(c *compiler, n *source.Node, uri string) *jen.Statement {
	if len(c.file.zone) == 0 {
		c.problemf(n, "no README.md has the DNS records of this suite")
	}
	known, superfluous := c.zone.addMissing(c.file.zone)
	if superfluous != "" {
		c.problemf(n, "%s", superfluous)
	}
	zone := jen.Id("zone").Op(":=").Add(helper("seedlist", "Zone"))
	if records := recordsFor(known, uri); len(records) > 0 {
		return zone.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, printRecords(records)...)
	}
	return zone.Values()
}

func printRecords(records []record) []jen.Code {
	var out []jen.Code
	for _, r := range records {
		if r.target != "" {
			out = append(out, helper("seedlist", "SRV").Call(jen.Lit(r.name), jen.Lit(r.port), jen.Lit(r.target)))
		} else {
			out = append(out, helper("seedlist", "TXT").Call(jen.Lit(r.name), text(r.text)))
		}
	}
	return out
}

// strs prints a list of strings.
func (c *compiler) strs(list []*source.Node) []jen.Code {
	var out []jen.Code
	for _, n := range list {
		if c.kind(n, "item", source.String) {
			out = append(out, jen.Lit(n.Text))
		}
	}
	return out
}

// parsedOptions are the components of a connection string other than its options.
func (c *compiler) parsedOptions(n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	var body []jen.Code
	for _, part := range []struct{ key, method string }{
		{"user", "User"}, {"password", "Password"}, {"auth_database", "Database"}, {"db", "Database"},
		{"defaultDatabase", "Database"},
	} {
		if s, ok := f.strOr(part.key); ok {
			body = append(body, call("s", part.method, text(s)))
		}
	}
	rest := &source.Node{Kind: source.Object, Line: n.Line}
	for _, m := range n.Members { // the format names no limit
		if c.catalogue.uri[strings.ToLower(m.Key)] && !slices.Contains(f.used, m.Key) {
			f.used = append(f.used, m.Key)
			rest.Members = append(rest.Members, m)
		}
	}
	return append(body, c.options("s", rest)...)
}
