package methods_test

import (
	"fmt"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// Methods have names for command lines and files, and options that their table declares.
func ExampleNew() {
	options, err := methods.Options{}.With([]core.Setting{{Name: "samples", Value: 400}})
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := methods.New([]string{"single", "random-shap"}, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range list {
		fmt.Println(m.Name())
		fmt.Println(m.Settings(20))
	}
	// Output:
	// single
	// []
	// random_shap
	// [{samples 400} {paired false} {repeats false} {given false} {efficiency } {preset }]
}

// Settings returns the options that the paper chose for a data set.
func ExampleSettings() {
	settings, err := methods.Settings("mnist")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.Title, settings.Options.Samples, settings.Options.Alpha)
	// Output:
	// 4-MNIST-Bags 150 0.05
}
