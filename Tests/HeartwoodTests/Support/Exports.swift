// The fixtures that the tests of the core share with those of reading and of configurations.
@_exported import CoreFixtures
