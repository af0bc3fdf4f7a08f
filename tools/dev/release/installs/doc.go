// Package installs contains only a test: it installs a release in every way that the README names,
// each in an environment that has nothing of the repository, and explains a bag with it.
//
//	make installs    # builds a release for this machine first
package installs
