package model

import (
	_ "embed"
	"strings"
	"sync"
)

// ReleasesDate is the day on which the table of Kubernetes releases was taken.
// A patch that came out later is unknown to UpgradePath and NewestPatch.
const ReleasesDate = "2026-11-30"

// releasesCSV lists the versions under which the Go modules of Kubernetes
// (k8s.io/kubernetes and its staging modules) were published, on ReleasesDate.
//
//go:embed releases.csv
var releasesCSV string

// newestPatches maps a minor of Kubernetes 1 to its newest known patch.
var newestPatches = sync.OnceValue(func() map[int]int {
	newest := map[int]int{}
	lines := strings.Fields(releasesCSV)
	for _, line := range lines[1:] {
		v, err := ParseVersion(line)
		if err != nil {
			panic("model/releases.csv: " + err.Error())
		}
		if old, known := newest[v.Minor]; !known || v.Patch > old {
			newest[v.Minor] = v.Patch
		}
	}
	return newest
})

// NewestPatch is the newest patch of the minor of Kubernetes 1 that was known
// on ReleasesDate; ok is false for a minor that the table does not have.
func NewestPatch(minor int) (v Version, ok bool) {
	patch, ok := newestPatches()[minor]
	if !ok {
		return Version{}, false
	}
	return Version{Major: 1, Minor: minor, Patch: patch}, true
}

// newestMinor is the newest minor of Kubernetes 1 that the table has.
func newestMinor() int {
	newest := 0
	for minor := range newestPatches() {
		newest = max(newest, minor)
	}
	return newest
}

// UpgradePath lists the versions that a control plane passes through on its
// way, without `from`: the newest known patch of every minor between the two,
// then `to`. An API server must not skip a minor, "even a single one"
// (https://kubernetes.io/releases/version-skew-policy/, kube-apiserver). A minor
// that the table does not know is passed at its .0; a `to` that names only a
// minor stands for that minor's newest known patch. A target of the same or a
// lower minor is one step, [to]: whether it is allowed is not judged here.
func UpgradePath(from, to Version) []Version {
	to = resolvePatch(to)
	path := make([]Version, 0, max(1, to.Minor-from.Minor))
	for minor := from.Minor + 1; minor < to.Minor; minor++ {
		path = append(path, resolvePatch(Version{Major: to.Major, Minor: minor, Patch: -1}))
	}
	return append(path, to)
}

// resolvePatch gives a version that names only a minor its newest known patch, or 0.
func resolvePatch(v Version) Version {
	if v.Patch >= 0 {
		return v
	}
	v.Patch = newestPatches()[v.Minor]
	return v
}
