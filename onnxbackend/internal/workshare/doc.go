/*
Package workshare shares the work on one bag among goroutines and helpers.

Helpers are programs elsewhere, such as other Web Workers, that have opened the same model file. The
package knows neither the prefix nor the suffix of a model: it has the pool of helpers, a scheduler
that gives a lost or slow helper's tasks to others, and the codec of tasks and replies.
*/
package workshare
