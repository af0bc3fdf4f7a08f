package methods

import (
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// DataSettings are the paper's settings for a data set (METHODS section 1, "Settings per data
// set").
type DataSettings struct {
	Name    string // "mnist"
	Title   string // "4-MNIST-Bags"
	Options Options
	// OwnClasses explains class 0 and, in a positive bag, the bag's own class; else all classes.
	OwnClasses bool
}

// AllSettings lists the settings of every data set of the paper.
func AllSettings() []DataSettings {
	return []DataSettings{
		{Name: "sival", Title: "SIVAL", Options: Options{Samples: 200, Alpha: .05, Beta: -.01,
			MeanBag: 30}, OwnClasses: true},
		{Name: "mnist", Title: "4-MNIST-Bags",
			Options: Options{Samples: 150, Alpha: .05, Beta: .01, MeanBag: 30}},
		{Name: "crc", Title: "CRC", Options: Options{Samples: 1000, Alpha: .008, Beta: -5,
			MeanBag: 264}},
		{Name: "musk", Title: "Musk", Options: Options{Samples: 150, Alpha: .3, Beta: -1,
			MeanBag: 5, Repeats: true}},
		{Name: "tef", Title: "Tiger, Elephant and Fox",
			Options: Options{Samples: 150, Alpha: .3, Beta: .01, MeanBag: 6, Repeats: true}},
	}
}

// Settings returns the settings of a data set by name, or a *SettingError that lists the names.
func Settings(name string) (DataSettings, error) {
	var names []string
	for _, s := range AllSettings() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return DataSettings{}, &core.SettingError{Setting: "settings",
		Reason: msg.Sprintf("%q is unknown; use one of %s", name, strings.Join(names, ", "))}
}

// Classes returns the classes that the paper explains in a bag of the given true classes, nil for
// all.
func (s DataSettings) Classes(bag *core.Bag) []int {
	if !s.OwnClasses {
		return nil
	}
	out := []int{0}
	for _, c := range bag.Class {
		if c > 0 {
			out = append(out, c)
		}
	}
	return out
}
