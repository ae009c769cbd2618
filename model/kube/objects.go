package kube

import (
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// The structs here are what a simulation needs of Kubernetes' objects, and
// nothing else; which parts of the input are decoded follows from them. Their
// names are Kubernetes' own.

// meta is an object's metadata. kubectl cluster-info dump before 1.14 wrote it
// straight into the object, so it is embedded there as well.
type meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	CreationTimestamp string            `json:"creationTimestamp"`
	DeletionTimestamp string            `json:"deletionTimestamp"`
	Labels            map[string]string `json:"labels"`
	OwnerReferences   []ownerRef        `json:"ownerReferences"`
}

type ownerRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Controller bool   `json:"controller"`
}

// nodeObject is a Node.
type nodeObject struct {
	meta
	Metadata *meta `json:"metadata"`
	Spec     struct {
		Unschedulable bool    `json:"unschedulable"`
		Taints        []taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Allocatable quantities  `json:"allocatable"`
		Capacity    quantities  `json:"capacity"`
		Conditions  []condition `json:"conditions"`
		NodeInfo    struct {
			KubeletVersion   string `json:"kubeletVersion"`
			KubeProxyVersion string `json:"kubeProxyVersion"`
		} `json:"nodeInfo"`
	} `json:"status"`
}

type taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

type condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// podHead is what is kept of every pod; the rest of a pod is decoded for one pod of each owner only.
type podHead struct {
	podMeta
	Metadata *podMeta `json:"metadata"`
	Spec     struct {
		NodeName string       `json:"nodeName"`
		Volumes  []headVolume `json:"volumes"`
	} `json:"spec"`
	Status struct {
		Phase      string      `json:"phase"`
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// headVolume says which claim a pod mounts.
type headVolume struct {
	Name                  string `json:"name"`
	PersistentVolumeClaim *struct {
		ClaimName string `json:"claimName"`
	} `json:"persistentVolumeClaim"`
	Ephemeral json.RawMessage `json:"ephemeral"`
}

type podMeta struct {
	Name              string     `json:"name"`
	Namespace         string     `json:"namespace"`
	CreationTimestamp string     `json:"creationTimestamp"`
	DeletionTimestamp string     `json:"deletionTimestamp"`
	OwnerReferences   []ownerRef `json:"ownerReferences"`
	Labels            struct {
		PodTemplateHash string `json:"pod-template-hash"`
	} `json:"labels"`
	Annotations struct {
		Mirror string `json:"kubernetes.io/config.mirror"`
	} `json:"annotations"`
}

// podTemplate is a pod's own description, or a controller's template of it.
type podTemplate struct {
	meta
	Metadata *meta   `json:"metadata"`
	Spec     podSpec `json:"spec"`
}

type podSpec struct {
	InitContainers                []container       `json:"initContainers"`
	Containers                    []container       `json:"containers"`
	Overhead                      quantities        `json:"overhead"`
	Resources                     resources         `json:"resources"`
	NodeSelector                  map[string]string `json:"nodeSelector"`
	Tolerations                   []toleration      `json:"tolerations"`
	Affinity                      *affinity         `json:"affinity"`
	TopologySpreadConstraints     []spread          `json:"topologySpreadConstraints"`
	HostNetwork                   bool              `json:"hostNetwork"`
	SecurityContext               *hostNetwork      `json:"securityContext"`
	Priority                      int32             `json:"priority"`
	PreemptionPolicy              string            `json:"preemptionPolicy"`
	Volumes                       []volume          `json:"volumes"`
	TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds"`
}

// hostNetwork is where old dumps have it.
type hostNetwork struct {
	HostNetwork bool `json:"hostNetwork"`
}

type container struct {
	Name          string    `json:"name"`
	Image         string    `json:"image"`
	Resources     resources `json:"resources"`
	RestartPolicy string    `json:"restartPolicy"`
	Ports         []port    `json:"ports"`

	ReadinessProbe json.RawMessage `json:"readinessProbe"`
}

type resources struct {
	Requests quantities `json:"requests"`
	Limits   quantities `json:"limits"`
}

type port struct {
	HostPort      int `json:"hostPort"`
	ContainerPort int `json:"containerPort"`
}

type volume struct {
	EmptyDir              json.RawMessage `json:"emptyDir"`
	PersistentVolumeClaim json.RawMessage `json:"persistentVolumeClaim"`
	Ephemeral             json.RawMessage `json:"ephemeral"`
}

type toleration struct {
	Key               string `json:"key"`
	Operator          string `json:"operator"`
	Value             string `json:"value"`
	Effect            string `json:"effect"`
	TolerationSeconds *int64 `json:"tolerationSeconds"`
}

type affinity struct {
	NodeAffinity *struct {
		Required *struct {
			NodeSelectorTerms []nodeTerm `json:"nodeSelectorTerms"`
		} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
		Preferred []struct {
			Weight     int      `json:"weight"`
			Preference nodeTerm `json:"preference"`
		} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
	} `json:"nodeAffinity"`
	PodAffinity     *podAffinity `json:"podAffinity"`
	PodAntiAffinity *podAffinity `json:"podAntiAffinity"`
}

type nodeTerm struct {
	MatchExpressions []requirement `json:"matchExpressions"`
	MatchFields      []requirement `json:"matchFields"`
}

type requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

type podAffinity struct {
	Required  []podTerm `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	Preferred []struct {
		Weight          int     `json:"weight"`
		PodAffinityTerm podTerm `json:"podAffinityTerm"`
	} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
}

type podTerm struct {
	TopologyKey       string    `json:"topologyKey"`
	LabelSelector     *selector `json:"labelSelector"`
	Namespaces        []string  `json:"namespaces"`
	NamespaceSelector *selector `json:"namespaceSelector"`
}

type selector struct {
	MatchLabels      map[string]string `json:"matchLabels"`
	MatchExpressions []requirement     `json:"matchExpressions"`
}

type spread struct {
	TopologyKey        string    `json:"topologyKey"`
	MaxSkew            int       `json:"maxSkew"`
	WhenUnsatisfiable  string    `json:"whenUnsatisfiable"`
	LabelSelector      *selector `json:"labelSelector"`
	MinDomains         *int      `json:"minDomains"`
	NodeTaintsPolicy   string    `json:"nodeTaintsPolicy"`
	NodeAffinityPolicy string    `json:"nodeAffinityPolicy"`
}

// controllerObject is a Deployment, ReplicaSet, StatefulSet, DaemonSet or ReplicationController.
type controllerObject struct {
	meta
	Metadata *meta `json:"metadata"`
	Spec     struct {
		Replicas            *int64      `json:"replicas"`
		MinReadySeconds     int64       `json:"minReadySeconds"`
		PodManagementPolicy string      `json:"podManagementPolicy"`
		Template            podTemplate `json:"template"`
		Ordinals            struct {
			Start int `json:"start"`
		} `json:"ordinals"`
	} `json:"spec"`
	Status struct {
		DesiredNumberScheduled int64 `json:"desiredNumberScheduled"`
	} `json:"status"`
}

// budgetObject is a PodDisruptionBudget.
type budgetObject struct {
	meta
	Metadata *meta `json:"metadata"`
	Spec     struct {
		Selector                   *selector           `json:"selector"`
		MinAvailable               *intstr.IntOrString `json:"minAvailable"`
		MaxUnavailable             *intstr.IntOrString `json:"maxUnavailable"`
		UnhealthyPodEvictionPolicy string              `json:"unhealthyPodEvictionPolicy"`
	} `json:"spec"`
}

// volumeObject is a PersistentVolume.
type volumeObject struct {
	meta
	Metadata *meta `json:"metadata"`
	Spec     struct {
		ClaimRef *struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"claimRef"`
		NodeAffinity *struct {
			Required *struct {
				NodeSelectorTerms []nodeTerm `json:"nodeSelectorTerms"`
			} `json:"required"`
		} `json:"nodeAffinity"`
		Local    json.RawMessage `json:"local"`
		HostPath json.RawMessage `json:"hostPath"`
	} `json:"spec"`
}

// claimObject is a PersistentVolumeClaim.
type claimObject struct {
	meta
	Metadata *meta `json:"metadata"`
	Spec     struct {
		VolumeName string `json:"volumeName"`
	} `json:"spec"`
}

// What to keep of each object's text.
var (
	nodeFields       = fieldsOf(reflect.TypeFor[nodeObject]())
	podHeadFields    = fieldsOf(reflect.TypeFor[podHead]())
	podFields        = fieldsOf(reflect.TypeFor[podTemplate]())
	controllerFields = fieldsOf(reflect.TypeFor[controllerObject]())
	budgetFields     = fieldsOf(reflect.TypeFor[budgetObject]())
	volumeFields     = fieldsOf(reflect.TypeFor[volumeObject]())
	claimFields      = fieldsOf(reflect.TypeFor[claimObject]())

	// heldFields is the union: what to keep of an object whose kind comes later.
	heldFields = nodeFields.merge(podHeadFields).merge(podFields).merge(controllerFields).merge(budgetFields).merge(volumeFields).merge(claimFields)
)

// metadata is where the object has it: in its own key, or flattened.
func metadata(nested *meta, flat meta) meta {
	if nested != nil {
		return *nested
	}
	return flat
}
