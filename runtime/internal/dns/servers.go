package dns

import "os"

// maxServers is how many servers resolver libraries use.
const maxServers = 3

// readServers reads the list of servers. It returns none if there is no such file.
func readServers(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	servers := parseServers(string(text))
	return servers[:min(len(servers), maxServers)]
}
