package kube

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"upsim/model"
)

// The names of the control plane's containers, as kubeadm, kOps and RKE2 call them.
const (
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	cloudController   = "cloud-controller-manager"
	etcd              = "etcd"
)

// components are the versions of the static pods of one node, by container name.
type components map[string]model.Version

// staticComponents reads the control plane's versions from the images of its
// static pods. Only static pods count: a management cluster runs the API
// servers of other clusters as Deployments.
func (r *Reader) staticComponents() map[string]components {
	found := map[string]components{}
	for i := range r.pods {
		p := &r.pods[i]
		if p.gone || p.node == "" {
			continue
		}
		for _, c := range r.components[int32(i)] {
			if found[p.node] == nil {
				found[p.node] = components{}
			}
			found[p.node][c.name] = c.version
		}
	}
	return found
}

// component is one container of the control plane in a static pod.
type component struct {
	name    string
	version model.Version // zero where the image does not say it
}

// componentsOf lists the control plane's containers of a static pod.
func componentsOf(t *podTemplate) []component {
	var out []component
	for i := range t.Spec.Containers {
		c := &t.Spec.Containers[i]
		switch c.Name {
		case apiServer, controllerManager, scheduler, cloudController:
			v, _ := model.ParseVersion(imageTag(c.Image))
			out = append(out, component{c.Name, v})
		case etcd, "etcd-manager":
			out = append(out, component{etcd, etcdVersion(imageTag(c.Image))})
		}
	}
	return out
}

// imageTag is the tag of an image; "" where it has only a digest or none.
func imageTag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	base := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, _ := strings.Cut(base, ":")
	return tag
}

// etcdVersion reads a tag such as 3.5.21-0; zero when it is none of etcd 3.
func etcdVersion(tag string) model.Version {
	numbers, suffix := strings.TrimPrefix(tag, "v"), ""
	if i := strings.IndexAny(numbers, "-+"); i >= 0 {
		numbers, suffix = numbers[:i], numbers[i:]
	}
	parts := strings.Split(numbers, ".")
	if len(parts) != 3 || parts[0] != "3" {
		return model.Version{}
	}
	minor, err1 := strconv.ParseUint(parts[1], 10, 8)
	patch, err2 := strconv.ParseUint(parts[2], 10, 16)
	if err1 != nil || err2 != nil {
		return model.Version{}
	}
	return model.Version{Major: 3, Minor: int(minor), Patch: int(patch), Suffix: suffix}
}

// controlPlane fills in the control plane and the cluster's version, and says
// in findings what was taken from elsewhere. The API servers' versions are
// those of their images, or else of the kubelets beside them, or else (a
// control plane without nodes of ours) of the newest kubelet.
func (r *Reader) controlPlane(c *model.Cluster, nodes []*nodeRecord) []model.Finding {
	static := r.staticComponents()
	var masters []*nodeRecord
	for _, n := range nodes {
		if _, runs := static[n.Name][apiServer]; runs || n.controlPlane {
			n.markControlPlane()
			masters = append(masters, n)
		}
	}
	cp := &c.ControlPlane
	if len(masters) == 0 {
		return managed(c, nodes)
	}
	cp.Replicas, cp.Etcd = len(masters), model.EtcdStacked
	var inferred []string
	cp.Inferred = make([]bool, len(masters))
	pods, etcds := false, 0
	for i, n := range masters {
		parts := static[n.Name]
		pods = pods || len(parts) > 0
		server := parts[apiServer]
		if server.IsZero() {
			server = n.Kubelet
			inferred = append(inferred, n.Name)
			cp.Inferred[i] = true
		}
		cp.APIServer = append(cp.APIServer, server)
		cp.ControllerManager = append(cp.ControllerManager, orElse(parts[controllerManager], server))
		cp.Scheduler = append(cp.Scheduler, orElse(parts[scheduler], server))
		if ccm := parts[cloudController]; !ccm.IsZero() || len(cp.CloudControllerManager) > 0 {
			cp.CloudControllerManager = append(cp.CloudControllerManager, orElse(ccm, server))
		}
		if v, ok := parts[etcd]; ok {
			etcds++
			if !v.IsZero() {
				cp.Etcdv = append(cp.Etcdv, v)
			}
		}
	}
	if pods && etcds == 0 {
		cp.Etcd = model.EtcdExternal
	}
	// A list that not every instance is in says nothing about which instance it speaks of.
	if len(cp.CloudControllerManager) != len(masters) {
		cp.CloudControllerManager = nil
	}
	if len(cp.Etcdv) != len(masters) {
		cp.Etcdv = nil
	}
	c.Version = oldestKnown(c, nodes)
	if len(inferred) == 0 {
		cp.Inferred = nil
		return nil
	}
	return []model.Finding{model.NewFinding(model.VersionInferred, "ControlPlane", fmt.Sprintf(
		"No image of a kube-apiserver static pod says the API server's version on %s; the kubelet's beside it is taken.", someOf(inferred)))}
}

// oldestKnown is the version from which the upgrade starts: the oldest API
// server's. An instance without a version is given it.
func oldestKnown(c *model.Cluster, nodes []*nodeRecord) model.Version {
	cp := &c.ControlPlane
	var oldest model.Version
	for _, v := range cp.APIServer {
		if !v.IsZero() && (oldest.IsZero() || v.Compare(oldest) < 0) {
			oldest = v
		}
	}
	oldest = orElse(oldest, newestKubelet(nodes))
	for _, list := range [][]model.Version{cp.APIServer, cp.ControllerManager, cp.Scheduler, cp.CloudControllerManager} {
		for i := range list {
			list[i] = orElse(list[i], oldest)
		}
	}
	return oldest
}

// managed describes a control plane that no node of the input belongs to.
func managed(c *model.Cluster, nodes []*nodeRecord) []model.Finding {
	cp := &c.ControlPlane
	cp.Managed, cp.Replicas, cp.Etcd = true, model.DefaultControlPlaneReplicas, model.EtcdExternal
	newest := newestKubelet(nodes)
	if newest.IsZero() {
		return nil
	}
	setServers(c, newest)
	cp.Inferred = slices.Repeat([]bool{true}, cp.Replicas)
	return []model.Finding{model.NewFinding(model.VersionInferred, "ControlPlane", fmt.Sprintf(
		"No control-plane node is in the input, so a provider is taken to run the control plane, at the newest kubelet's version %s.", newest))}
}

// setServers gives every instance of the control plane the version.
func setServers(c *model.Cluster, v model.Version) {
	cp := &c.ControlPlane
	c.Version = v
	cp.APIServer = slices.Repeat([]model.Version{v}, cp.Replicas)
	cp.ControllerManager = slices.Clone(cp.APIServer)
	cp.Scheduler = slices.Clone(cp.APIServer)
	cp.Inferred = nil
}

func newestKubelet(nodes []*nodeRecord) model.Version {
	var newest model.Version
	for _, n := range nodes {
		if newest.IsZero() || n.Kubelet.Compare(newest) > 0 {
			newest = n.Kubelet
		}
	}
	return newest
}

func orElse(v, other model.Version) model.Version {
	if v.IsZero() {
		return other
	}
	return v
}

// someOf lists names, the first three at most.
func someOf(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}
