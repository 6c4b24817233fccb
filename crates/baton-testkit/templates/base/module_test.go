package quay

import "testing"

func TestNone{{number}}(t *testing.T) {
	if Highest{{number}}(nil) != 0 {
		t.Fatal("no reading has a level")
	}
}

func TestOne{{number}}(t *testing.T) {
	only := Reading{{number}}{Berth: 1, Level: 4}
	if Highest{{number}}([]Reading{{number}}{only}) != 4 {
		t.Fatal("the only reading is the highest")
	}
}

func TestOrder{{number}}(t *testing.T) {
	low, high := Reading{{number}}{Level: 1}, Reading{{number}}{Level: 9}
	if Highest{{number}}([]Reading{{number}}{high, low}) != 9 {
		t.Fatal("the order does not count")
	}
}
