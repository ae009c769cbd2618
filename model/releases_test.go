package model

import (
	"slices"
	"strings"
	"testing"
)

func mustVersion(t *testing.T, s string) Version {
	t.Helper()
	v, err := ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestUpgradePath(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"v1.33.4", "v1.34.2", "v1.34.2"},
		{"v1.31.2", "v1.34.2", "v1.32.13 v1.33.13 v1.34.2"},
		{"v1.33.4", "v1.35", "v1.34.13 v1.35.10"},
		{"v1.33.4", "v1.33.5", "v1.33.5"},
		{"v1.33", "v1.33", "v1.33.13"},
		{"v1.34.2", "v1.33.1", "v1.33.1"},
		{"v1.34.2", "v1.32", "v1.32.13"},
		{"v1.27.1", "v1.30.2", "v1.28.0 v1.29.15 v1.30.2"},
		{"v1.37.1", "v1.39", "v1.38.0 v1.39.0"},
		{"v1.33.4-gke.100", "v1.35.0-rc.1", "v1.34.13 v1.35.0-rc.1"},
	} {
		var got []string
		for _, v := range UpgradePath(mustVersion(t, c.from), mustVersion(t, c.to)) {
			got = append(got, v.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("UpgradePath(%s, %s) = %s, want %s", c.from, c.to, s, c.want)
		}
	}
}

func TestNewestPatch(t *testing.T) {
	if v, ok := NewestPatch(37); !ok || v.String() != "v1.37.2" {
		t.Errorf("NewestPatch(37) = %s, %v; want v1.37.2", v, ok)
	}
	if v, ok := NewestPatch(28); ok {
		t.Errorf("NewestPatch(28) = %s; the table starts at 1.29", v)
	}
}

// The table feeds every default path, so a slip in it must not pass unseen.
func TestReleasesTable(t *testing.T) {
	lines := strings.Fields(releasesCSV)
	if lines[0] != "version" {
		t.Fatalf("releases.csv starts with %q, want the heading `version`", lines[0])
	}
	var versions []Version
	for _, l := range lines[1:] {
		v := mustVersion(t, l)
		if v.Patch < 0 || v.Suffix != "" || v.String() != l {
			t.Errorf("releases.csv: %q is not a released version", l)
		}
		versions = append(versions, v)
	}
	if !slices.IsSortedFunc(versions, Version.Compare) {
		t.Error("releases.csv is not in order")
	}
	minors := map[int]bool{}
	for i, v := range versions {
		if minors[v.Minor] = true; i > 0 && versions[i-1].Compare(v) == 0 {
			t.Errorf("releases.csv has %s twice", v)
		}
	}
	for m := versions[0].Minor; m <= versions[len(versions)-1].Minor; m++ {
		if !minors[m] {
			t.Errorf("releases.csv has no release of 1.%d", m)
		}
	}
}
