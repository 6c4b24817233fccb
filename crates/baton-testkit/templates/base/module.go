package quay

// {{title}}.

// Reading is what one gauge said.
type Reading{{number}} struct {
	Berth int
	Level int
}

// Highest{{number}} returns the highest level.
func Highest{{number}}(readings []Reading{{number}}) int {
	highest := 0
	for _, reading := range readings {
		if reading.Level > highest {
			highest = reading.Level
		}
	}
	return highest
}
