// Package train trains networks for bags with Gorgonia, as the paper does: one bag a step, Adam, an early stop on
// the validation loss, the best parameters restored.
//
//	dataset.Open ─► Set, Split ─┐
//	network.For ─► Recipe ──────┴─► Config ── Run ──► Result ── export.Model ──► ONNX file
//
//	set, err := dataset.Open("musk1", folder, dataset.Options{})
//	report, err := train.Job{Set: set, Kind: network.MIAttn, Repeat: 0, Out: "models"}.Run(ctx)
//
// [Run] is the loop. [Job] is what the command line calls a training: a data set, a kind of network, one of the
// paper's repeats, and a folder that takes the model, its score and, until it is done, a checkpoint. [Search]
// looks for better settings on validation bags. The operators are in package ops, the networks in network,
// the ONNX writer in export.
package train
