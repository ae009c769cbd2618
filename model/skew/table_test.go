package skew

import (
	"fmt"
	"strings"
	"testing"

	"upsim/model"
)

func rows(list []Row) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%d %s %s %s\n", r.Order, r.Component, r.Oldest, r.Newest)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ servers, want string }{
		{"34.2", `1 kube-apiserver v1.33 v1.35
2 kube-controller-manager v1.33 v1.34
2 kube-scheduler v1.33 v1.34
2 cloud-controller-manager v1.33 v1.34
3 kubelet v1.31 v1.34
3 kube-proxy v1.31 v1.34
0 kubectl v1.33 v1.35
`},
		{"34.2 33.1 34.2", `1 kube-apiserver v1.33 v1.34
2 kube-controller-manager v1.33 v1.33
2 kube-scheduler v1.33 v1.33
2 cloud-controller-manager v1.33 v1.33
3 kubelet v1.31 v1.33
3 kube-proxy v1.31 v1.33
0 kubectl v1.33 v1.34
`},
		{"34 32", `1 kube-apiserver v1.33 v1.33
2 kube-controller-manager  
2 kube-scheduler  
2 cloud-controller-manager  
3 kubelet v1.31 v1.32
3 kube-proxy v1.31 v1.32
0 kubectl v1.33 v1.33
`},
	} {
		var servers []model.Version
		for _, s := range strings.Fields(c.servers) {
			servers = append(servers, v(t, s))
		}
		if got := rows(Table(servers...)); got != c.want {
			t.Errorf("API servers %s:\n%s\nwant\n%s", c.servers, got, c.want)
		}
	}
	if Table() != nil {
		t.Error("a table without an API server")
	}
	for server, oldest := range map[string]int{"24": 22, "25": 23, "26": 24, "27": 25, "28": 25, "29": 26} {
		for _, r := range Table(v(t, server)) {
			if (r.Component == "kubelet" || r.Component == "kube-proxy") && r.Oldest.Minor != oldest {
				t.Errorf("API server 1.%s: oldest %s is %s, want 1.%d", server, r.Component, r.Oldest, oldest)
			}
		}
	}
}

// A row is exactly the minors that the integer checks let pass.
func TestTableAgreesWithIntegers(t *testing.T) {
	for newest := 20; newest <= 40; newest++ {
		for oldest := newest - 1; oldest <= newest; oldest++ {
			allowed := map[string]func(int) bool{
				"kube-apiserver":           func(m int) bool { return APIServers(min(m, oldest), max(m, newest)) },
				"kube-controller-manager":  func(m int) bool { return Component(m, oldest, newest) },
				"kube-scheduler":           func(m int) bool { return Component(m, oldest, newest) },
				"cloud-controller-manager": func(m int) bool { return Component(m, oldest, newest) },
				"kubelet":                  func(m int) bool { return Kubelet(m, oldest, newest) == "" },
				"kube-proxy":               func(m int) bool { return KubeProxy(m, m, oldest, newest) == "" },
				"kubectl":                  func(m int) bool { return Kubectl(m, oldest, newest) },
			}
			table := Table(model.Version{Major: 1, Minor: oldest}, model.Version{Major: 1, Minor: newest})
			if len(table) != len(allowed) {
				t.Fatalf("%d rows, want %d", len(table), len(allowed))
			}
			for _, r := range table {
				for m := newest - 8; m <= newest+4; m++ {
					if in := r.Oldest.Minor <= m && m <= r.Newest.Minor; in != allowed[r.Component](m) {
						t.Errorf("API servers 1.%d and 1.%d: %s 1.%d in the table: %v", oldest, newest, r.Component, m, in)
					}
				}
			}
		}
	}
}
