// Package aguitest helps to test chains, adapters and endpoints without a
// provider and without a network.
//
//   - [Model] is a model that plays a script and keeps the requests it saw.
//   - [Recorder] is a middleware that keeps what passes a place of the chain.
//   - [Golden] compares a run's events with a file that people review, and
//     [Verify] holds them against the rules of the protocol.
//   - [Server] is an endpoint in memory; [Post] runs it once.
//   - [TestClient] is what every adapter must pass.
//
// Nothing here sleeps or starts a goroutine of its own (the endpoint in memory
// excepted, which ends with its test), so all of it works under
// testing/synctest.
//
// Importing the package adds the flag -update to the test binary: with it,
// [Golden] and [GoldenFile] write their files instead of comparing.
package aguitest
