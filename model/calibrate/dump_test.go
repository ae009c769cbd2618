package calibrate

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"upsim/model/kube"
)

// object is a Kubernetes object in the making.
type object map[string]any

// at writes a time so many seconds after noon; nothing for 0.
func at(second int) any {
	if second == 0 {
		return nil
	}
	return time.Date(2026, 11, 30, 12, 0, second, 0, time.UTC).Format(time.RFC3339)
}

// seenPod is a pod in a dump; its times are seconds after noon, 0 for none.
type seenPod struct {
	name, uid string
	// owner is KIND/NAME.
	owner, node                                   string
	created, bound, started, ready, gone, stopped int
	restarts                                      int
}

func (p seenPod) object() object {
	kind, owner, _ := strings.Cut(p.owner, "/")
	meta := object{"name": p.name, "namespace": "shop", "uid": p.uid, "creationTimestamp": at(max(p.created, p.bound))}
	switch kind {
	case "Deployment":
		kind, owner = "ReplicaSet", owner+"-5d4f8c7b9d"
		meta["labels"] = object{"pod-template-hash": "5d4f8c7b9d"}
	case "Static":
		meta["annotations"] = object{"kubernetes.io/config.mirror": "x"}
	}
	if kind != "Static" {
		group := map[string]string{"Job": "batch/v1"}[kind]
		if group == "" {
			group = "apps/v1"
		}
		meta["ownerReferences"] = []object{{"kind": kind, "name": owner, "apiVersion": group, "controller": true}}
	}
	if p.gone != 0 {
		meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = at(p.gone+30), 30
	}
	state := object{"running": object{"startedAt": at(p.started)}}
	if p.stopped != 0 {
		state = object{"terminated": object{"finishedAt": at(p.stopped)}}
	}
	conditions := []object{{"type": "PodScheduled", "status": "True", "lastTransitionTime": at(p.bound)}}
	if p.ready != 0 {
		conditions = append(conditions, object{"type": "Ready", "status": "True", "lastTransitionTime": at(p.ready)})
	}
	return object{"kind": "Pod", "metadata": meta, "spec": object{"nodeName": p.node},
		"status": object{"conditions": conditions, "containerStatuses": []object{{"restartCount": p.restarts, "state": state}}}}
}

func seenNodeObject(name, pool string, created, ready int) object {
	return object{"kind": "Node", "metadata": object{"name": name, "creationTimestamp": at(created), "labels": object{"pool": pool}},
		"status": object{"conditions": []object{{"type": "Ready", "status": "True", "lastTransitionTime": at(ready)}}}}
}

func nodeEventObject(node, reason string, second int) object {
	return object{"kind": "Event", "involvedObject": object{"kind": "Node", "name": node}, "reason": reason,
		"firstTimestamp": at(second), "source": object{"component": "kubelet"}}
}

// killingObject is the event of a pod's containers that are stopped; last is the last of several.
func killingObject(name, uid, node string, first, last int) object {
	return object{"kind": "Event", "involvedObject": object{"kind": "Pod", "namespace": "shop", "name": name, "uid": uid}, "reason": "Killing",
		"firstTimestamp": at(first), "lastTimestamp": at(last), "source": object{"component": "kubelet", "host": node}}
}

// dump is a list of objects, as kube.TimesCommand prints it.
func dump(list ...object) string {
	text, err := json.Marshal(object{"kind": "List", "items": list})
	if err != nil {
		panic(fmt.Sprintf("%s: %v", kube.TimesCommand, err))
	}
	return string(text)
}

// tells are the estimates and what was left out, a line each, without the time of a node's boot.
func tells(out *Calibration) []string {
	var list []string
	for _, row := range rows(out.Estimates) {
		if !strings.HasPrefix(row, string(NodeBoot)) {
			list = append(list, row)
		}
	}
	for _, l := range out.LeftOut {
		if l.Quantity != NodeBoot {
			list = append(list, fmt.Sprintf("%s left %d: %s", l.Quantity, l.Count, l.Why))
		}
	}
	return list
}
