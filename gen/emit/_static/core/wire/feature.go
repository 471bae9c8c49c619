package wire

// In reports whether a server with the wire version has the feature.
func (f Feature) In(wireVersion int32) bool { return wireVersion >= int32(f) }

// Version returns the first server release with the feature.
func (f Feature) Version() string { return VersionFor(int32(f)) }
