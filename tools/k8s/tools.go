//go:build tools

// Package k8s pins what the tests of the chart need of Kubernetes. Kubernetes replaces the modules of its own
// repository by directories of it, which are not in what the registry of Go modules has of it; go.mod says
// which published modules they are.
package k8s

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
