package model

import "fmt"

// maxControlPlane is the greatest number of API server instances that is simulated.
const maxControlPlane = 9

// controlPlane reads the control plane. The nodes of the cluster are known by
// then, since an instance runs on each control-plane node that is described.
func (d *decoder) controlPlane(n *node) {
	c := &d.sc.Cluster
	cp := &c.ControlPlane
	if n.kind == mappingNode && n.get("managed") != nil {
		d.boolean(&cp.Managed)(n.get("managed"))
	}
	providers := func(what string, read func(*node)) func(*node) {
		return func(v *node) {
			if cp.Managed {
				d.fault(v, "a managed control plane has no %s of ours; remove this key or `managed`", what)
			}
			read(v)
		}
	}
	described := len(c.describedControlPlane())
	fill := func() {
		if cp.Replicas == 0 {
			cp.Replicas = c.defaultReplicas()
		}
	}
	d.object(n,
		may("managed", nil),
		may("replicas", func(v *node) {
			d.integer(&cp.Replicas, 1, maxControlPlane)(v)
			if described > 0 && !cp.Managed && cp.Replicas != described && cp.Replicas > 0 {
				d.fault(v, "is %d, but %d nodes have the label %s", cp.Replicas, described, LabelControlPlane)
			}
		}),
		may("etcd", providers("etcd", oneOf(d, &cp.Etcd, EtcdStacked, EtcdExternal))),
		may("versions", func(v *node) {
			fill()
			d.object(v,
				may("apiserver", d.versions(&cp.APIServer, ParseVersion)),
				may("controllerManager", d.versions(&cp.ControllerManager, ParseVersion)),
				may("scheduler", d.versions(&cp.Scheduler, ParseVersion)),
				may("cloudControllerManager", d.versions(&cp.CloudControllerManager, ParseVersion)),
				may("etcd", providers("etcd", d.versions(&cp.Etcdv, parseEtcdVersion))),
			)
		}),
	)
	fill()
}

// versions reads one version for all instances, or a list with one for each.
func (d *decoder) versions(p *[]Version, parse func(string) (Version, error)) func(*node) {
	return func(n *node) {
		replicas := d.sc.Cluster.ControlPlane.Replicas
		before := len(d.found)
		var list []Version
		if n.kind != sequenceNode {
			var v Version
			d.versionWith(&v, parse)(n)
			for range replicas {
				list = append(list, v)
			}
		} else {
			d.list(func(item *node) {
				var v Version
				d.versionWith(&v, parse)(item)
				list = append(list, v)
			})(n)
			if len(n.items) != replicas {
				d.fault(n, "must have one version for each of the %d instances, not %d", replicas, len(n.items))
			}
		}
		if len(d.found) == before {
			*p = list
		}
	}
}

// parseEtcdVersion reads a version of etcd, whose major is its own.
func parseEtcdVersion(s string) (Version, error) {
	v, err := parseVersion(s)
	if err == nil && v.Major != 3 {
		err = fmt.Errorf("%q is not a version of etcd that Kubernetes uses: the major version is 3", s)
	}
	return v, err
}
