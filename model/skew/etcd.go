package skew

import (
	"fmt"

	"upsim/model"
)

// etcd holds the members of etcd against each other. A cluster of etcd is
// upgraded member by member and one minor at a time, so that its members are at
// most one minor apart (https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/: a cluster
// before 3.5 goes to 3.5 first). The older member is at fault: it has to move.
func (k *checker) etcd() {
	if len(k.t.Etcd) == 0 {
		return
	}
	newest := k.t.Etcd[0]
	for _, m := range k.t.Etcd[1:] {
		if v := m.Version; v.Major > newest.Version.Major || v.Major == newest.Version.Major && v.Minor > newest.Version.Minor {
			newest = m
		}
	}
	for _, m := range k.t.Etcd {
		v := m.Version
		far := fmt.Sprintf("%s older than", minors(newest.Version.Minor-v.Minor))
		switch {
		case v.Major != newest.Version.Major:
			far = "of an older major than"
		case newest.Version.Minor-v.Minor <= 1:
			continue
		}
		k.add(model.EtcdSkew, "etcd/"+m.Name, "etcd %s is %s the newest member, %s on %s; members of one cluster must be within 1 minor of each other",
			v, far, newest.Version, newest.Name)
	}
}
