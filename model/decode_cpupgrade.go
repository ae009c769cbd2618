package model

// controlPlaneUpgrade reads the procedure on the control plane.
func (d *decoder) controlPlaneUpgrade(u *ControlPlaneUpgrade, n *node) {
	if n.kind == scalarNode {
		if n.value != "skip" {
			d.fault(n, "must be skip, or a mapping of keys; not %s", n.describe())
		}
		if n.value == "skip" {
			*u = ControlPlaneUpgrade{Skip: true}
		}
		return
	}
	cluster := &d.sc.Cluster.ControlPlane
	ours := func(read func(*node)) func(*node) {
		return func(v *node) {
			if cluster.Managed {
				d.fault(v, "a managed control plane has no nodes and no etcd of ours; remove this key")
			}
			read(v)
		}
	}
	if !d.object(n,
		may("backup", ours(d.boolean(&u.Backup))),
		may("order", ours(d.references(&u.Order, controlPlaneNode))),
		may("kubeadm", ours(d.version(&u.Kubeadm))),
		may("apiserverDowntime", d.optDist(&u.APIServerDowntime)),
		may("perNode", ours(d.optDist(&u.PerNode))),
		may("replace", ours(oneOf(d, &u.Replace, ReplaceInPlace, ReplaceMachines))),
		may("atOnce", d.integer(&u.AtOnce, 1, max(1, cluster.Replicas))),
		may("emulation", func(v *node) {
			u.Emulation = &Emulation{}
			d.object(v, must("soak", d.duration(&u.Emulation.Soak)), may("gate", func(v *node) { d.emulationGate(u.Emulation, v) }))
		}),
		may("kubelets", ours(oneOf(d, &u.Kubelets, KubeletsAfter, KubeletsWith))),
		may("workers", ours(oneOf(d, &u.Workers, WorkersAfter, WorkersBeside))),
		may("kubeletEndpoint", ours(oneOf(d, &u.KubeletEndpoint, KubeletLoadBalancer, KubeletLocal))),
		may("maxSurge", ours(d.integer(&u.MaxSurge, 0, 1))),
		may("waitForCatchUp", ours(d.boolean(&u.WaitForCatchUp))),
		may("keepEtcdVolume", ours(d.boolean(&u.KeepEtcdVolume))),
		elsewhere("skip", "write `controlPlane: skip`"),
	) || cluster.Managed {
		return
	}
	if u.Replace == ReplaceMachines {
		d.machines(u, n)
		return
	}
	for _, key := range []string{"maxSurge", "waitForCatchUp", "keepEtcdVolume"} {
		if v := n.get(key); v != nil {
			d.fault(v, "goes with `replace: machines`")
		}
	}
	if u.Kubelets == KubeletsWith {
		if v := n.get("emulation"); v != nil {
			d.fault(v, "does not go with `kubelets: with`: a kubelet would be newer than what its API server emulates")
		}
		if v := n.get("workers"); v != nil && u.Workers == WorkersBeside {
			d.fault(v, "does not go with `kubelets: with`, where no kubelet of the control plane is left when the workers begin")
		}
	}
}

// emulationGate reads what must hold after an emulation's soak.
func (d *decoder) emulationGate(e *Emulation, n *node) {
	available := true
	e.Gate = &EmulationGate{Timeout: DefaultGate().Timeout}
	d.object(n, may("workloadsAvailable", d.boolean(&available)), may("timeout", d.duration(&e.Gate.Timeout)))
	if v := n.get("workloadsAvailable"); v != nil && !available {
		d.fault(v, "leaves nothing that the gate could look at; remove the gate")
	}
}

// machines checks what belongs to new machines in place of old ones.
func (d *decoder) machines(u *ControlPlaneUpgrade, n *node) {
	for _, key := range []string{"perNode", "apiserverDowntime", "kubeadm"} {
		if v := n.get(key); v != nil {
			d.fault(v, "does not go with `replace: machines`, where nothing is upgraded in place")
		}
	}
	for key, differs := range map[string]bool{"kubelets": u.Kubelets == KubeletsWith, "workers": u.Workers == WorkersBeside} {
		if v := n.get(key); v != nil && differs {
			d.fault(v, "does not go with `replace: machines`, whose kubelets come with their machines")
		}
	}
	if v := n.get("emulation"); v != nil {
		d.fault(v, "does not go with `replace: machines`: a new machine's kubelet would be newer than what its API server emulates")
	}
	at := func(key string) *node {
		if v := n.get(key); v != nil {
			return v
		}
		return n.get("replace")
	}
	cluster := &d.sc.Cluster.ControlPlane
	if u.KeepEtcdVolume {
		if cluster.Etcd == EtcdExternal {
			d.fault(at("keepEtcdVolume"), "does nothing with an external etcd")
		}
		if u.MaxSurge > 0 {
			d.fault(at("keepEtcdVolume"), "needs `maxSurge: 0`: a volume is in one machine at a time")
		}
	} else if u.MaxSurge == 0 && cluster.Replicas < LeastForDeleteFirst {
		d.fault(at("maxSurge"), "is 0, which needs at least %d instances, as Cluster API asks for, or `keepEtcdVolume: true`, as kOps has it; there are %d", LeastForDeleteFirst, cluster.Replicas)
	}
	switch {
	case u.AtOnce <= 1:
	case u.MaxSurge > 0:
		d.fault(at("atOnce"), "is more than 1, which needs `maxSurge: 0`: one new machine comes at a time")
	case u.WaitForCatchUp:
		d.fault(at("atOnce"), "is more than 1, which needs `waitForCatchUp: false`: nobody looks whether all is well while others are away")
	}
}

// emulationMinors finds an emulation that the path's versions do not know.
func (d *decoder) emulationMinors(u *Upgrade, n *node) {
	if u.ControlPlane.Emulation == nil {
		return
	}
	for _, v := range u.Path {
		if v.Minor < LeastEmulatingMinor {
			d.fault(n.get("emulation"), "needs Kubernetes 1.%d or newer, whose components can emulate an older minor; the path has %s", LeastEmulatingMinor, v)
			return
		}
	}
}
