// The control plane of Kubernetes as one program, for tests. The first argument says which part of it runs; the rest
// are the flags of that part, as in its own program.
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

type part struct {
	name string
	run  func() int
}

var parts = []part{
	{"etcd", func() int { etcdmain.Main(os.Args); return 0 }},
	{"kube-apiserver", func() int { return cli.Run(apiserver.NewAPIServerCommand()) }},
	{"kube-controller-manager", func() int { return cli.Run(controllers.NewControllerManagerCommand()) }},
	{"kube-scheduler", func() int { return cli.Run(newScheduler()) }},
	{"kubelets", func() int { return cli.Run(newKubelets()) }},
}

func newScheduler() *cobra.Command { return scheduler.NewSchedulerCommand() }

func main() {
	if len(os.Args) > 1 {
		wanted := func(p part) bool { return p.name == os.Args[1] }
		if at := slices.IndexFunc(parts, wanted); at >= 0 {
			os.Args = os.Args[1:]
			os.Exit(parts[at].run())
		}
	}
	fmt.Fprint(os.Stderr, "usage: control-plane PART FLAG...\nparts:")
	for _, p := range parts {
		fmt.Fprint(os.Stderr, " ", p.name)
	}
	fmt.Fprintln(os.Stderr)
	os.Exit(2)
}
