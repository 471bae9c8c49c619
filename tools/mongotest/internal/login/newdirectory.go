package login

// New makes a Directory.
func New(c Config) *Directory {
	d := &Directory{
		config: c, byName: map[string]*storedUser{}, roles: map[string]*role{}, dropped: map[Principal]bool{}, builtins: builtins(),
	}
	for _, user := range c.Users {
		d.add(user)
	}
	return d
}
