// Bench measures bagscope beside ONNX Runtime on the machine it runs on, and prints one table:
//
//	go run ./tools/dev/bench [-quick] [-only REGEXP] [-rounds N] [-page FOLDER]
//
// It measures these tasks, each on the same bags and the same coalitions:
//
//	forward           one forward pass of the full bag
//	consensus         Consensus by default, for all classes and with standard errors
//	milli             MILLI for all classes with the paper's settings, its surrogate included
//	milli_explained   the same, ranked once for each explained class
//	encode            the work that is done once for a bag
//	consensus_encoded Consensus on a bag that is already encoded
//	milli_encoded     MILLI on a bag that is already encoded
//	random_shap       RandomSHAP for all classes, n = 1000
//	coalitions        the 1000 coalitions of random_shap, on a bag that is already encoded
//	aopc_r            AOPC-R with 10 random orders, for all classes
//	cold_start        navigation to the first explanation that the page computed and drew
//	memory            the largest resident set of a fresh process
//
// The engines, each on one thread:
//
//	bagscope          natively with GOMAXPROCS=1; in Chromium in a Worker through the npm package
//	plain             bagscope without passes and prefix: the whole graph for each coalition
//	onnxruntime       onnxruntime-node natively; onnxruntime-web in a Worker in Chromium
//
// ONNX Runtime does not explain. For it and for plain, a job is the loop over its coalitions. A
// loop that would take minutes is measured on a sample of coalitions with all sizes, and scaled to
// all of them; the row states both numbers. A loop does not include the surrogate.
//
// A round runs all jobs and engines of a model once, and a row is the median of its rounds. Times
// shorter than 20 ms are means of several runs.
//
// The program starts itself as the native engine, and Node with the files in peers/ for the others.
// Chromium loads the folder www/bench; -page writes it with the project's own models, as a part of
// the site.
package main
