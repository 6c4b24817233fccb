package quay

// Sensor reads one gauge.
type Sensor struct{ Name string }
