package model

import "testing"

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"v1.34.2": "v1.34.2", "1.34.2": "v1.34.2", "1.30": "v1.30", "1.34.0-rc.1": "v1.34.0-rc.1", "v1.30.2+k3s1": "v1.30.2+k3s1",
		"v1.29.4-gke.1043002": "v1.29.4-gke.1043002", "v1.28.9-eks-036c24b": "v1.28.9-eks-036c24b", "v1.25.4+vmware.1-fips.1": "v1.25.4+vmware.1-fips.1",
		"": "", "latest": "", "1": "", "2.0.0": "", "1.34.2.1": "", "1.34.2-rc..1": "", "1.34.2+": "", "v1.34.2 ": "", "1.34.2-é": "", "1.99999": "", "-1.34": "",
	} {
		v, err := ParseVersion(text)
		if (err != nil) != (want == "") || err == nil && v.String() != want {
			t.Errorf("%q: %v, %v; want %q", text, v, err, want)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"1.33.9", "1.34.0-alpha.3", "1.34.0-beta.0", "1.34.0-rc.2", "1.34.0-rc.10", "1.34.0", "1.34.2", "1.100"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := min(1, max(-1, i-j))
			if got := versionOf(t, a).Compare(versionOf(t, b)); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
	// What vendors add does not count.
	for _, same := range []string{"1.34.2-gke.5", "1.34.2+k3s1", "1.34.2-alpha.01"} {
		if versionOf(t, same).Compare(versionOf(t, "1.34.2")) != 0 {
			t.Errorf("%s differs from 1.34.2", same)
		}
	}
}

func FuzzVersion(f *testing.F) {
	for _, s := range []string{"v1.34.2", "1.30", "1.34.0-rc.1+x", "1.34.2-alpha.01", "1.1.1-rc--"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseVersion(s)
		if err != nil {
			return
		}
		if v.Compare(v) != 0 {
			t.Errorf("%q is not equal to itself", s)
		}
		if again, err := ParseVersion(v.String()); err != nil || again != v {
			t.Errorf("%q is written %q and read as %v, %v", s, v, again, err)
		}
	})
}
