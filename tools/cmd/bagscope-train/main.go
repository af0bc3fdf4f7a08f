// Bagscope-train trains networks, measures methods over data sets and draws figures. The program
// bagscope runs it for these commands:
//
//	bagscope train    --dataset D --model N       train the paper's networks
//	bagscope study    --dataset D --models DIR    measure the paper's tables
//	bagscope tune     --model M --dataset D       choose MILLI's alpha and beta on validation bags
//	bagscope samples  --model M --dataset D       measure quality against the number of coalitions
//	bagscope choose   --model M --dataset D       compare methods with the best one of each bag
//	bagscope readers  --model M --dataset D       simulate readers of small pictures
//	bagscope synthesize --layout L --out DIR      write a cohort of simulated slides
//	bagscope figure   --kind K --out F.svg        draw the paper's figures
//
// It is separate because Gorgonia and the plotting library would almost double the size of
// bagscope.
package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// program is the tree of commands. Tests run it in their own process.
var program = cli.Program{Name: "bagscope-train", New: newRoot}

func main() { program.Main() }

// newRoot returns the top command. bagscope lists the same commands as its own.
func newRoot(out, errors io.Writer) *cobra.Command {
	return cli.Root("bagscope-train",
		"Train networks for bags, measure methods over data sets and draw figures",
		out, errors, newTrain(), newStudy(), newTune(), newSamples(), newChoose(), newReaders(),
		newSynthesize(), newFigure())
}
