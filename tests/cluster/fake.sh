#!/bin/sh
# Stands for the commands of a GPU node, under their names: prints what the
# simulation says that they print. nvidia-smi picks columns as the real one does.
out=/usr/local/hpc/out
name=${0##*/}

query() {
	awk -F ', ' -v asked="$1" -v header="$2" '
		NR == 1 {
			n = split(asked, want, ",")
			for (i = 1; i <= NF; i++) {
				key = $i
				sub(/ \[.*/, "", key)
				at[key] = i
			}
			for (i = 1; i <= n; i++)
				if (!(want[i] in at)) {
					printf "Field \"%s\" is not a valid field to query.\n\n", want[i]
					exit 2
				}
		}
		NR > 1 || header {
			for (i = 1; i <= n; i++)
				printf "%s%s", $(at[want[i]]), i < n ? ", " : "\n"
		}' "$out/gpu"
}

case "$name $*" in
"nvidia-smi --query-gpu="*)
	columns=${1#*=}
	header=1
	case "$*" in *noheader*) header=0 ;; esac
	query "$columns" $header
	;;
"nvidia-smi nvlink -s") cat $out/nvlink-s ;;
"nvidia-smi nvlink -e") cat $out/nvlink-e ;;
"nvidia-smi topo -m") cat $out/topo ;;
"nvidia-smi"*)
	echo "fake nvidia-smi: not simulated: $*"
	exit 2
	;;
"systemctl is-active"*) head -n 1 $out/fabric ;;
"systemctl show"*) grep '^LoadState=' $out/fabric ;;
"dpkg-query"*) sed 's/^/installed /' $out/dpkg-query ;;
*) cat "$out/$name" ;;
esac
