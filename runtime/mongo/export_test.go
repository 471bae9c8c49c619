package mongo

// SetJitter replaces the random factor in the pauses before retries.
func SetJitter(c *Client, random func() float64) { c.exec.Random = random }
