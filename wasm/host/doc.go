// Package host answers the messages of wasm/wire by the core. It does not depend on JavaScript: it
// sends messages and yields the thread through functions of Config, so that it can be tested
// natively.
//
//	bytes ── Receive ──► goroutine or queue of explanations ──► answer ── post ──► bytes
//
// Models, sets and bags stay in the host; messages contain their handles. Explanations, judgements,
// plans and tasks for other programs run one after another. Other requests run at once, whenever an
// explanation yields the thread.
//
//	host.go         Host and Config; requests.go the handler of each type of request
//	answer.go       Answer: a request in Go, without bytes
//	handles.go      open models, sets and bags by number; blocks.go memory that is mapped
//	models.go       models from files; callable.go models that are functions of the client
//	bags.go         sets and bags; slides.go, patches.go slides and their patches
//	binding.go      the last explained bag, encoded
//	explain.go      explanations, which package ask computes; plan.go how they would run
//	judge.go        metrics of rankings; score.go given coalitions
//	whatif.go       what-ifs, which package ask answers
//	draw.go         pictures; heatmap.go maps of slides; geojson.go files for QuPath
//	workerpool.go   helpers that share an explanation; device.go the graphics processor
//	progress.go     messages of progress; yield.go the thread that it yields
//	failure.go      errors as messages
//	system.go       what programs with files offer
package host
