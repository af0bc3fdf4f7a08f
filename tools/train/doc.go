// Package train trains networks for bags with Gorgonia, as the paper does: one bag a step, Adam, an
// early stop on the validation loss, the best parameters restored.
//
//	dataset.Open ─► Set, Split ─┐
//	network.For ─► Recipe ──────┴─► Config ── Run ──► Result ── export.Model ──► ONNX file
//
//	set, err := dataset.Open("musk1", folder, dataset.Options{})
//	report, err := train.Job{Set: set, Kind: network.MIAttn, Repeat: 0, Out: "models"}.Run(ctx)
//
// [Run] is the training loop. [Job] is a training of the command line: a data set, a kind of
// network, one of the paper's repeats, and a folder for the model, its scores and, during training,
// a checkpoint. [Search] searches for better settings on validation bags. Package ops contains the
// operators, network the networks, and export the ONNX writer.
package train
