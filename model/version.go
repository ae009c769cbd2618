package model

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// Version is a Kubernetes version. The zero value means "not given". Suffix
// keeps what follows the numbers (-rc.0, +rke2r1, -eks-0389ca3); only a
// pre-release of Kubernetes itself counts in comparisons.
type Version struct {
	Major, Minor int
	// Patch is -1 where only a minor was named.
	Patch  int
	Suffix string
}

// identifiers are the dotted words that may follow a version's numbers (https://semver.org, 9 and 10).
const identifiers = `[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*`

var versionForm = regexp.MustCompile(`^v?(\d{1,3})\.(\d{1,4})(?:\.(\d{1,6}))?((?:-` + identifiers + `)?(?:\+` + identifiers + `)?)$`)

// preReleaseForm are Kubernetes' own pre-releases; no other suffix counts in comparisons.
var preReleaseForm = regexp.MustCompile(`^-((?:alpha|beta|rc)(?:\.(?:0|[1-9][0-9]{0,8}))*)(?:[-+]|$)`)

// ParseVersion reads v1.34.2, 1.34.2 or 1.34, with the suffixes that vendors add.
func ParseVersion(s string) (Version, error) {
	v, err := parseVersion(s)
	if err == nil && v.Major != 1 {
		return Version{}, fmt.Errorf("%q is not a Kubernetes version: the major version is 1", s)
	}
	return v, err
}

// parseVersion reads a version of any major.
func parseVersion(s string) (Version, error) {
	if v, ok := plainVersion(s); ok {
		return v, nil
	}
	m := versionForm.FindStringSubmatch(s)
	if m == nil {
		return Version{}, fmt.Errorf("%q is not a version; write it like v1.34.2 or 1.34.2", s)
	}
	v := Version{Patch: -1, Suffix: m[4]}
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	if m[3] != "" {
		v.Patch, _ = strconv.Atoi(m[3])
	}
	return v, nil
}

// plainVersion reads a version without a suffix, as nearly all are.
func plainVersion(s string) (Version, bool) {
	parts := [3]int{2: -1}
	rest := strings.TrimPrefix(s, "v")
	for i := range parts {
		part, after, more := strings.Cut(rest, ".")
		if !isDigits(part) || len(part) > [3]int{3, 4, 6}[i] {
			return Version{}, false
		}
		parts[i], _ = strconv.Atoi(part)
		if rest = after; !more {
			return Version{Major: parts[0], Minor: parts[1], Patch: parts[2]}, i > 0
		}
	}
	return Version{}, false
}

// IsZero reports whether no version was given.
func (v Version) IsZero() bool { return v == Version{} }

// String writes the version as Kubernetes does: v1.34.2.
func (v Version) String() string {
	switch {
	case v.IsZero():
		return ""
	case v.Patch < 0:
		return "v" + strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) + v.Suffix
	}
	return "v" + strconv.Itoa(v.Major) + "." + strconv.Itoa(v.Minor) + "." + strconv.Itoa(v.Patch) + v.Suffix
}

// MinorString is the version without its patch: 1.34.
func (v Version) MinorString() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// PreRelease is the Kubernetes pre-release (alpha.1, beta.0, rc.2) or "".
func (v Version) PreRelease() string {
	if m := preReleaseForm.FindStringSubmatch(v.Suffix); m != nil {
		return m[1]
	}
	return ""
}

// Compare orders versions by minor, patch and pre-release; vendors' suffixes do not count.
func (v Version) Compare(o Version) int {
	// A run compares versions thousands of times: only pre-releases need Kubernetes' own reading of them.
	if c := cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(max(0, v.Patch), max(0, o.Patch))); c != 0 || v.Suffix == o.Suffix {
		return c
	}
	c, err := v.semantic().Compare(o.semantic().String())
	if err != nil {
		return 0
	}
	return c
}

func (v Version) semantic() *version.Version {
	s := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, max(0, v.Patch))
	if p := v.PreRelease(); p != "" {
		s += "-" + p
	}
	return version.MustParseSemantic(s)
}
