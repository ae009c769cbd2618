package kube

import (
	"fmt"
	"time"

	"upsim/model"
)

type controllerKey struct{ kind, namespace, name string }

// controller is what is kept of a Deployment, ReplicaSet, StatefulSet, DaemonSet or ReplicationController.
type controller struct {
	controllerKey
	file     string
	replicas int
	minReady time.Duration
	parallel bool
	// ordinalStart is the number of a StatefulSet's first pod.
	ordinalStart int
	// template is nil for an old ReplicaSet of a Deployment.
	template *podTemplate
	// deployment that owns a ReplicaSet.
	deployment string
	// created orders the ReplicaSets of a Deployment.
	created string
}

func (r *Reader) addController(kind string, raw []byte) error {
	var o controllerObject
	if err := r.decode(raw, controllerFields, &o); err != nil {
		return err
	}
	m := metadata(o.Metadata, o.meta)
	if err := checkMeta(m.Name, m.Namespace, m.OwnerReferences); err != nil {
		return err
	}
	replicas := int64(1)
	switch {
	case kind == "DaemonSet":
		replicas = o.Status.DesiredNumberScheduled
	case o.Spec.Replicas != nil:
		replicas = *o.Spec.Replicas
	}
	if replicas < 0 || replicas > model.MaxReplicasPerCluster {
		return fmt.Errorf("it asks for %d replicas; 0 to %d are possible", replicas, model.MaxReplicasPerCluster)
	}
	c := &controller{
		controllerKey: controllerKey{kind, r.text(namespaceOf(m.Namespace)), m.Name},
		file:          r.file,
		replicas:      int(replicas),
		minReady:      seconds(o.Spec.MinReadySeconds),
		parallel:      o.Spec.PodManagementPolicy == "Parallel",
		ordinalStart:  o.Spec.Ordinals.Start,
		template:      &o.Spec.Template,
		created:       m.CreationTimestamp,
	}
	for _, ref := range m.OwnerReferences {
		if ref.Controller && ref.Kind == "Deployment" && inGroup(ref.APIVersion, "apps", "extensions") {
			c.deployment = ref.Name
		}
	}
	if c.deployment != "" && c.replicas == 0 {
		c.template = nil
	}
	r.controllers[c.controllerKey] = c
	return nil
}

// seconds is a number of seconds of an object, within what a simulation can last.
func seconds(n int64) time.Duration {
	const tenYears = 10 * 365 * 24 * 3600
	return time.Duration(min(max(n, 0), tenYears)) * time.Second
}
