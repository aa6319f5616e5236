
# ---- Kubernetes: MPIJob v2beta1 of the Kubeflow MPI operator ----

failed=0
kubectl=(kubectl --namespace "$name_space")

# $@ the rounds. MANIFESTS=1 prints what would be applied, and nothing else.
prepare() {
	local round
	if [ -n "${MANIFESTS:-}" ]; then
		for round in "$@"; do
			manifests_of "$round"
		done
		exit 0
	fi
	if ! command -v kubectl >/dev/null; then
		echo "$0: no kubectl here (or only look at the manifests: MANIFESTS=1 bash $0)" >&2
		exit 2
	fi
}

job_name() {
	printf 'pairwise-r%04d-p%04d' "$1" "$2"
}

# One pair. $1 name, $2 round, $3 $4 nodes: by their names as `kubectl get nodes` prints them.
# Pods stay until the round's logs are written (cleanPodPolicy), since only they tell which
# worker ran where.
manifest() {
	cat <<END
---
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: $1
  namespace: $name_space
  labels:
    app.kubernetes.io/name: hyperpod-perf-pairwise
    hyperpod-perf/round: "$2"
spec:
  slotsPerWorker: $gpus
  runPolicy:
    cleanPodPolicy: None
    activeDeadlineSeconds: $limit_s
    backoffLimit: 6
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          restartPolicy: OnFailure
          containers:
          - name: launcher
            image: "$image"
            imagePullPolicy: IfNotPresent
            command:
            - /opt/amazon/openmpi/bin/mpirun
            - --allow-run-as-root
            - --tag-output
            - -np
            - "$((2 * gpus))"
            - -N
            - "$gpus"
            - --bind-to
            - none
            - -x
            - PATH
            - -x
            - LD_LIBRARY_PATH
            - -x
            - NCCL_DEBUG=INFO
            - -x
            - NCCL_DEBUG_SUBSYS=INIT
$(efa_exports)
            - --mca
            - pml
            - ^cm,ucx
            - --mca
            - btl
            - tcp,self
            - --mca
            - btl_tcp_if_exclude
            - lo,docker0,veth_def_agent
            - "${binary_dir:-/opt/nccl-tests/build}/$program"
$(list "${test_options[@]}")
    Worker:
      replicas: 2
      template:
        metadata:
          labels:
            hyperpod-perf/pair: $1
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchFields:
                  - key: metadata.name
                    operator: In
                    values:
                    - "$3"
                - matchFields:
                  - key: metadata.name
                    operator: In
                    values:
                    - "$4"
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    hyperpod-perf/pair: $1
          tolerations:
          - key: nvidia.com/gpu
            operator: Exists
            effect: NoSchedule
          containers:
          - name: worker
            image: "$image"
            imagePullPolicy: IfNotPresent
            resources:
              requests:
$(resources)
              limits:
$(resources)
            volumeMounts:
            - name: shm
              mountPath: /dev/shm
          volumes:
          - name: shm
            emptyDir:
              medium: Memory
              sizeLimit: 16Gi
END
}

list() {
	printf '            - "%s"\n' "$@"
}

efa_exports() {
	[ "$efa" -eq 0 ] || printf '            - -x\n            - %s\n' \
		FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1
}

resources() {
	printf '                nvidia.com/gpu: %s\n' "$gpus"
	[ "$efa" -eq 0 ] || printf '                vpc.amazonaws.com/efa: %s\n' "$efa"
	printf '                hugepages-2Mi: 5120Mi\n                memory: 32000Mi\n'
}

manifests_of() {
	local a b i=0
	while read -r a b; do
		i=$((i + 1))
		manifest "$(job_name "$1" "$i")" "$1" "$a" "$b"
	done < <(pairs_of "$1")
}

# "name condition condition..." of each job of the round.
conditions() {
	"${kubectl[@]}" get mpijobs --selector "hyperpod-perf/round=$1" -o jsonpath="$(
		printf '%s' '{range .items[*]}{.metadata.name}{" "}' \
			'{.status.conditions[?(@.status=="True")].type}{"\n"}{end}'
	)"
}

# Until every job of the round has ended. No answer of kubectl is no end.
wait_for() {
	local left=$((limit_s + 120)) ended total
	total=$(pairs_of "$1" | wc -l)
	while [ "$left" -gt 0 ]; do
		ended=$(conditions "$1" | grep -cE ' (Succeeded|Failed)( |$)')
		[ "$ended" -lt "$total" ] || return 0
		sleep "$poll_s"
		left=$((left - poll_s))
	done
	echo "round $1: only $ended of $total jobs ended in $((limit_s + 120)) s" >&2
}

# The launcher's log with the nodes' names in place of the pods'. $1 job, $2 file.
collect() {
	local pods selector=training.kubeflow.org/job-name=$1
	pods=$("${kubectl[@]}" get pods \
		--selector "$selector,training.kubeflow.org/job-role=worker" -o jsonpath="$(
			printf '%s' '{range .items[*]}{.metadata.name}{" "}{.spec.nodeName}{"\n"}{end}'
		)")
	{
		awk 'NF == 2 { print "# pod", $1, "ran on node", $2 }' <<<"$pods"
		"${kubectl[@]}" logs --selector "$selector,training.kubeflow.org/job-role=launcher" \
			--tail=-1 2>&1 |
			sed "$(awk 'NF == 2 { printf "s/%s/%s/g;", $1, $2 }' <<<"$pods")"
	} >>"$2" # behind what an earlier run left there: both are read
}

run_round() {
	local a b i=0 name dir log state
	dir=$(dir_of "$1")
	if ! manifests_of "$1" | "${kubectl[@]}" apply --filename - >/dev/null; then
		echo "round $1: could not be applied" >&2
		clean "$1"
		exit 1
	fi
	current=$1
	wait_for "$1"
	state=$(conditions "$1")
	while read -r a b; do
		i=$((i + 1))
		name=$(job_name "$1" "$i")
		log=$dir/$a--$b.log
		collect "$name" "$log"
		if ! grep -qE "^$name .*Succeeded" <<<"$state"; then
			failed=$((failed + 1))
			echo "# ended by the plan: no success within $limit_s s" >>"$log"
			echo "round $1: $a $b: no success; see $log" >&2
		fi
	done < <(pairs_of "$1")
	clean "$1"
	current=
}

clean() {
	"${kubectl[@]}" delete mpijobs --selector "hyperpod-perf/round=$1" --timeout=180s >/dev/null
}

current=
stop() {
	trap - INT TERM
	echo "stopped: removing the jobs of round ${current:-none}" >&2
	[ -z "$current" ] || clean "$current"
	exit 130
}
trap stop INT TERM
