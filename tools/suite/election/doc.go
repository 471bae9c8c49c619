// Package election serves compiled tests, not users: it runs the cases of Server Selection and Max Staleness: which servers
// of a mocked topology are suitable, which of them are near enough, how often each is chosen, and how round trips are
// averaged.
package election
