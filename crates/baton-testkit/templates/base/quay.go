// Package quay watches the quay.
package quay

// Version of the agent.
const Version = "0.4.0"
