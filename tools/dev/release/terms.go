package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"github.com/bagscope/bagscope/tools/dev/linked"
)

// allowed are the licences under which a release may contain work of others, by SPDX's identifiers.
// All ask for their text and for names alone, and MPL-2.0 also for the changes of its files: it
// holds for data.
var allowed = []string{"Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause",
	"BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "CC0-1.0", "FTL", "HPND", "ISC", "MIT", "MPL-2.0",
	"NCSA", "OFL-1.1", "OpenSSL", "Zlib", patentGrant}

// patentGrant is licensecheck's name of a text that SPDX does not list.
const patentGrant = "GooglePatentsFile"

// chosen names the licence under which the project uses a module that offers several.
var chosen = map[string]string{"github.com/golang/freetype": "FTL"}

// permissive are files with terms that licensecheck does not know, and that allow to use and to
// distribute programs if the text is kept.
var permissive = []string{
	"github.com/ajstarks/svgo/LICENSE-link.txt", // the address of the licence beside it
	"gonum.org/v1/gonum/THIRD_PARTY_LICENSES/Bogaert-LICENSE",
	"gonum.org/v1/gonum/THIRD_PARTY_LICENSES/Sun-LICENSE",
	"gonum.org/v1/gonum/THIRD_PARTY_LICENSES/W3C-TestSuite-LICENSE", // its tests alone
}

// licenceIDs returns SPDX's identifiers of a module's licences, sorted. It fails if one is not
// allowed, or if a file of terms is unknown: the module must then not be distributed.
func licenceIDs(m linked.Module) ([]string, error) {
	if id, ok := chosen[m.Path]; ok {
		return []string{id}, nil
	}
	var ids []string
	for _, l := range m.Licences {
		known := slices.Contains(permissive, m.Path+"/"+l.File) ||
			strings.HasPrefix(strings.ToLower(path.Base(l.File)), "notice")
		for _, match := range licensecheck.Scan([]byte(l.Text)).Match {
			if !match.IsURL {
				ids = append(ids, match.ID)
				known = true
			}
		}
		if !known {
			return nil, fmt.Errorf("%s %s: the terms in %s are unknown; read them, and add the "+
				"file to permissive in terms.go if they are", m.Path, m.Version, l.File)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids, allow(m.Path, ids...)
}

// allow fails if a licence is not allowed, or if there is none.
func allow(name string, ids ...string) error {
	if len(ids) == 0 {
		return fmt.Errorf("%s has no known licence; it must not be distributed", name)
	}
	for _, id := range ids {
		if !slices.Contains(allowed, id) {
			return fmt.Errorf("%s has the licence %q, which allowed in terms.go does not list; "+
				"replace it, or judge the licence", name, id)
		}
	}
	return nil
}
