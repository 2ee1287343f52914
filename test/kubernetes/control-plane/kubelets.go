package main

import (
	"context"
	"fmt"
	"log"
	"net/netip"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Plays the kubelets of a few nodes without running anything: a pod that is bound to one of them becomes Running and
// gets an address, a pod that is being deleted goes at once. A pod is reported once only, so that whatever a test
// writes into its status afterwards stays; but readiness gates are followed.
func newKubelets() *cobra.Command {
	var kubeconfig string
	var count int
	command := &cobra.Command{Use: "kubelets", SilenceUsage: true, RunE: func(*cobra.Command, []string) error {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return err
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		k := &kubelets{client: client, nodes: map[string]bool{}, next: netip.MustParseAddr("10.244.0.1")}
		return k.run(ctx, count)
	}}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "how to reach the API server")
	command.Flags().IntVar(&count, "nodes", 3, "how many nodes there are")
	return command
}

type kubelets struct {
	client kubernetes.Interface
	nodes  map[string]bool
	mutex  sync.Mutex
	next   netip.Addr
}

func (k *kubelets) run(ctx context.Context, count int) error {
	for number := range count {
		name := fmt.Sprintf("node-%d", number)
		k.nodes[name] = true
		zone := fmt.Sprintf("zone-%c", 'a'+number%3)
		// An API server that has just begun to answer may take longer than a client waits for it.
		for err := k.join(ctx, name, zone); err != nil; err = k.join(ctx, name, zone) {
			log.Printf("%s: %v", name, err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Second):
			}
		}
	}
	factory := informers.NewSharedInformerFactory(k.client, time.Minute)
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { k.see(ctx, object.(*core.Pod)) },
		UpdateFunc: func(_, object any) { k.see(ctx, object.(*core.Pod)) },
	}
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	return nil
}

func (k *kubelets) join(ctx context.Context, name, zone string) error {
	room := core.ResourceList{
		core.ResourceCPU: resource.MustParse("100"), core.ResourceMemory: resource.MustParse("512Gi"),
		core.ResourceEphemeralStorage: resource.MustParse("1Ti"), core.ResourcePods: resource.MustParse("500"),
	}
	node := &core.Node{}
	node.Name = name
	node.Labels = map[string]string{
		core.LabelHostname: name, core.LabelTopologyZone: zone, core.LabelOSStable: "linux", core.LabelArchStable: "amd64",
	}
	node.Status.Capacity, node.Status.Allocatable = room, room
	node.Status.Addresses = []core.NodeAddress{{Type: core.NodeHostName, Address: name}}
	node.Status.Conditions = []core.NodeCondition{{Type: core.NodeReady, Status: core.ConditionTrue, Reason: "Played"}}
	if _, err := k.client.CoreV1().Nodes().Create(ctx, node, meta.CreateOptions{}); err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

func (k *kubelets) see(ctx context.Context, pod *core.Pod) {
	if !k.nodes[pod.Spec.NodeName] {
		return
	}
	var err error
	switch {
	case pod.DeletionTimestamp != nil:
		options := meta.NewDeleteOptions(0)
		options.Preconditions = meta.NewUIDPreconditions(string(pod.UID))
		err = k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *options)
	case pod.Status.Phase == core.PodPending:
		err = k.report(ctx, pod.DeepCopy())
	case pod.Status.Phase == core.PodRunning && len(pod.Spec.ReadinessGates) > 0:
		err = k.followGates(ctx, pod.DeepCopy())
	}
	// Somebody else changed or removed it meanwhile; that comes as an event of its own.
	if err != nil && !errors.IsNotFound(err) && !errors.IsConflict(err) {
		log.Printf("%s/%s: %v", pod.Namespace, pod.Name, err)
	}
}

func (k *kubelets) report(ctx context.Context, pod *core.Pod) error {
	now := meta.Now()
	status := &pod.Status
	status.Phase, status.StartTime = core.PodRunning, &now
	status.PodIP = k.address()
	status.PodIPs = []core.PodIP{{IP: status.PodIP}}
	ready := []core.PodConditionType{core.PodInitialized, core.ContainersReady}
	if len(pod.Spec.ReadinessGates) == 0 {
		ready = append(ready, core.PodReady)
	}
	for _, kind := range ready {
		status.Conditions = append(status.Conditions, core.PodCondition{Type: kind, Status: core.ConditionTrue, LastTransitionTime: now})
	}
	started := true
	for _, container := range pod.Spec.Containers {
		running := core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: now}}
		status.ContainerStatuses = append(status.ContainerStatuses, core.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true, Started: &started, State: running,
		})
	}
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, meta.UpdateOptions{})
	return err
}

// A pod with readiness gates is ready while the conditions that they name are true.
func (k *kubelets) followGates(ctx context.Context, pod *core.Pod) error {
	wanted := core.ConditionTrue
	for _, gate := range pod.Spec.ReadinessGates {
		if statusOf(pod, gate.ConditionType) != core.ConditionTrue {
			wanted = core.ConditionFalse
		}
	}
	if statusOf(pod, core.PodReady) == wanted {
		return nil
	}
	others := slices.DeleteFunc(pod.Status.Conditions, func(c core.PodCondition) bool { return c.Type == core.PodReady })
	pod.Status.Conditions = append(others, core.PodCondition{Type: core.PodReady, Status: wanted, LastTransitionTime: meta.Now()})
	_, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, meta.UpdateOptions{})
	return err
}

func statusOf(pod *core.Pod, kind core.PodConditionType) core.ConditionStatus {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition.Status
		}
	}
	return core.ConditionUnknown
}

// Never a loopback address: EndpointSlices refuse those.
func (k *kubelets) address() string {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	address := k.next
	k.next = k.next.Next()
	return address.String()
}
