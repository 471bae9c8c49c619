package mongo

// SetJitter sets what stands for chance in the pauses before retries.
func SetJitter(c *Client, random func() float64) { c.exec.Random = random }
