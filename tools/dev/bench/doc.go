// Bench measures bagscope beside ONNX Runtime on the machine it runs on, and prints one table:
//
//	go run ./tools/dev/bench [-quick] [-json] [-save FILE] [-only REGEXP] [-rounds N] [-full] [-page FOLDER]
//
// What is measured, each on the same bags and the same coalitions:
//
//	forward           one forward pass of the full bag
//	consensus         Consensus by default, for all classes and with standard errors
//	milli             MILLI for all classes with the paper's settings, its surrogate included
//	milli_explained   the same, ranked once for each explained class
//	encode            what is done once for a bag
//	consensus_encoded Consensus on a bag that is already encoded: what it takes beyond the encoding
//	milli_encoded     MILLI on a bag that is already encoded: what it takes beyond the encoding
//	random_shap       RandomSHAP for all classes, n = 1000
//	coalitions        the 1000 coalitions of random_shap alone, on a bag that is already encoded
//	aopc_r            AOPC-R with 10 random orders, for all classes
//	cold_start        navigation to the first explanation that the page computed and drew
//	shipped, memory   bytes of the programs; the largest resident set of a fresh process
//
// The engines, each on one thread:
//
//	bagscope          natively with GOMAXPROCS=1; in Chromium in one Worker, by way of the npm package
//	plain             the same without passes and without the encode-once cut: the whole graph for every coalition
//	onnxruntime       onnxruntime-node natively; onnxruntime-web in a Worker in Chromium
//
// ONNX Runtime has no explanations: there, and for plain, a job is the loop over its coalitions. A
// loop that would take minutes is measured on a sample of its coalitions, evenly spread over their
// sizes, and scaled to all of them; a row says how many were measured. Nothing is added to a loop
// for the surrogate.
//
// A model's engines and jobs take turns: a round measures each once, and a row is the median of its
// rounds. Timings shorter than a few milliseconds are means of several runs.
//
// The program starts itself as the native engine, and Node with the files in peers/ for the rest.
// The folder www/bench is what runs in Chromium; -page writes it with the project's own models, as
// a part of the site.
package main
