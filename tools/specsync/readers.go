package main

// readers lists everything that can be read, one line each.
func readers() []reader {
	return []reader{
		readLogs, readLogSettings, readSensitive, readEvents, readTrace, readErrorClasses, readStableAPI,
		readURIOptions, readFaaS, readRegions, readServerTypes, readSymptoms, readTransitions, readDescriptions,
		readStale, readWire, readWireVersions, readTransactionStates, readDeclarations, readGridFS, readPoolOptions,
		readProperties, readBenchmarks, readHandshake, readMechanisms, readPoolStates, readReasons, readGetMore,
	}
}

// allReaders adds those that look through a whole checkout, or at tables of their own.
func allReaders(from, specs string, l *library) []reader {
	return append(readers(), readProseTests(from, l), readMethods(from, l), readFacts(specs, l), readReadings(specs, l),
		checkLiterals(specs, l), readNothingElse(from, specs, l))
}
