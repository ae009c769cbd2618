package kube

import (
	"cmp"
	"slices"
	"sort"
	"upsim/model"
)

// addedLabels are put on pods by their controllers, and differ between pods of one workload or change with every rollout.
var addedLabels = []string{
	"pod-template-hash",
	"controller-revision-hash",
	"pod-template-generation",
	"statefulset.kubernetes.io/pod-name",
	"apps.kubernetes.io/pod-index",
	"batch.kubernetes.io/job-completion-index",
}

// workload makes the workload; claim says that it mounts a persistent volume
// claim. What decides where a pod may run comes from the controller's template;
// what admission may change (requests, priority, local data, ports) comes from
// the newest pod, since the next pods will be changed alike.
func (a *assembly) workload(namespaces []string) (w model.Workload, claim bool, err error) {
	w = model.Workload{
		Name: a.name, Namespace: a.namespace, Kind: a.kind, OwnerKind: a.ownerKind,
		Count: 1, Existing: a.existing, Replicas: len(a.existing), GracePeriod: model.DefaultGracePeriod,
	}
	slices.SortStableFunc(w.Existing, func(x, y model.ExistingPod) int {
		return cmp.Or(cmp.Compare(x.Ordinal, y.Ordinal), model.NaturalCompare(x.Name, y.Name))
	})
	template := a.template(&w)
	pod := template
	if a.newest != nil {
		pod = a.newest.newest
	}
	if template == nil {
		template = pod
	}
	if template == nil {
		return w, false, nil
	}
	w.Labels = podLabels(template)
	if err := a.constraints(&w, &template.Spec, namespaces); err != nil {
		return w, false, err
	}
	if w.Requests, err = pod.Spec.effectiveRequests(); err != nil {
		return w, false, err
	}
	w.HostPorts = pod.Spec.hostPorts()
	w.ReadinessProbe = slices.ContainsFunc(pod.Spec.Containers, func(c container) bool { return present(c.ReadinessProbe) })
	w.Priority = pod.Spec.Priority
	w.NeverPreempts = pod.Spec.PreemptionPolicy == "Never"
	for _, v := range pod.Spec.Volumes {
		w.EmptyDir = w.EmptyDir || present(v.EmptyDir)
		claim = claim || present(v.PersistentVolumeClaim) || present(v.Ephemeral)
	}
	if s := pod.Spec.TerminationGracePeriodSeconds; s != nil {
		w.GracePeriod = seconds(*s)
	}
	return w, claim, nil
}

// template finds the controller's pod template and takes over what the controller says; nil without a controller.
func (a *assembly) template(w *model.Workload) *podTemplate {
	if ctl := a.controller; ctl != nil {
		w.Replicas, w.MinReady, w.Parallel = ctl.replicas, ctl.minReady, ctl.parallel
		return ctl.template
	}
	if len(a.sets) == 0 {
		return nil
	}
	// The Deployment itself is not in the input: its ReplicaSets together are what it wants.
	sort.Slice(a.sets, func(i, j int) bool {
		x, y := a.sets[i], a.sets[j]
		if x.created != y.created {
			return x.created > y.created
		}
		return x.name < y.name
	})
	w.Replicas = 0
	var template *podTemplate
	for _, set := range a.sets {
		w.Replicas += set.replicas
		if template == nil && set.template != nil {
			template, w.MinReady = set.template, set.minReady
		}
	}
	w.Replicas = min(w.Replicas, model.MaxReplicasPerCluster)
	return template
}

// constraints takes over what decides which nodes the pods may run on.
func (a *assembly) constraints(w *model.Workload, spec *podSpec, namespaces []string) (err error) {
	if len(spec.NodeSelector) > 0 {
		w.NodeSelector = spec.NodeSelector
	}
	w.Tolerations = tolerations(spec.Tolerations)
	if w.NodeAffinity, err = spec.Affinity.node(a.kind == model.DaemonSet); err != nil {
		return err
	}
	if spec.Affinity != nil {
		if w.PodAffinity, err = spec.Affinity.PodAffinity.convert(namespaces); err != nil {
			return err
		}
		if w.AntiAffinity, err = spec.Affinity.PodAntiAffinity.convert(namespaces); err != nil {
			return err
		}
	}
	for _, s := range spec.TopologySpreadConstraints {
		c, err := s.convert()
		if err != nil {
			return err
		}
		w.Spread = append(w.Spread, c)
	}
	return nil
}

// podLabels are the labels that all pods of a template have. They are never nil, which would mean a default.
func podLabels(t *podTemplate) map[string]string {
	out := map[string]string{}
	for key, value := range metadata(t.Metadata, t.meta).Labels {
		out[key] = value
	}
	for _, key := range addedLabels {
		delete(out, key)
	}
	return out
}

// hostPorts are the ports that the pod takes on its node, sorted. With
// hostNetwork every container port is one, as the API server fills it in.
func (p *podSpec) hostPorts() []int {
	host := p.HostNetwork || p.SecurityContext != nil && p.SecurityContext.HostNetwork
	taken := map[int]bool{}
	add := func(c *container) {
		for _, port := range c.Ports {
			n := port.HostPort
			if n == 0 && host {
				n = port.ContainerPort
			}
			if n > 0 && n <= 65535 {
				taken[n] = true
			}
		}
	}
	for i := range p.Containers {
		add(&p.Containers[i])
	}
	for i := range p.InitContainers {
		if p.InitContainers[i].RestartPolicy == "Always" {
			add(&p.InitContainers[i])
		}
	}
	var out []int
	for n := range taken {
		out = append(out, n)
	}
	sort.Ints(out)
	return out
}

func present(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }
