# hyperpod-perf probe: the only text that hyperpod-perf runs on a node.
#
# It reads and prints. It opens no file for writing but /dev/null, makes no
# temporary file, sends no signal, changes no setting and needs no root.
# What it runs is named below in plain words; every command gets /dev/null as
# its standard input, a deadline and a limit on how much it may print.
#
# `sh -s` reads this text from its standard input, then one line
# "hp_main NONCE [section...]" that starts it. The answer is framed as
# collectors/frame.h describes. Each later line of input asks for sections
# again; the end of the input, or the line "quit", ends the probe.
# Everything is inside functions: a text that arrives only in part does nothing.
#
# For dash, bash and busybox sh. `set -f` holds throughout: no word that a
# node's files contain is ever expanded as a pattern; the few loops over a
# directory turn patterns on for themselves, inside a job.

# What a login environment may have bent.
\unset -f unalias set unset read printf echo command test [ timeout dd grep 2>/dev/null
\unalias -a 2>/dev/null
set +aeuvx -f
unset -v IFS CDPATH ENV BASH_ENV POSIXLY_CORRECT GREP_OPTIONS LANGUAGE hp_nonce hp_text 2>/dev/null
PATH=${PATH:-/usr/bin:/bin}:/usr/local/nvidia/bin:/opt/amazon/efa/bin:/opt/aws/neuron/bin:/usr/bin:/bin:/usr/sbin:/sbin
LC_ALL=C S_COLORS=never NO_COLOR=1 TERM=dumb
export PATH LC_ALL S_COLORS NO_COLOR TERM
hp_nl='
'
hp_tab=$(printf '\t.') hp_tab=${hp_tab%.}
IFS=" $hp_tab$hp_nl"

# ---- running commands ----

# Centiseconds since boot in hp_now, without starting a process.
hp_clock() {
	hp_now=0
	read -r hp_up hp_rest </proc/uptime || return 0
	case $hp_up in
	*[!0-9.]* | *.*.* | .* | *. ) return 0 ;;
	*.??) hp_now=$((${hp_up%.*} * 100 + 1${hp_up#*.} - 100)) ;;
	esac
} 2>/dev/null

# hp_has COMMAND: is it there? If not, says so the way every section does.
hp_has() {
	command -v "$1" >/dev/null 2>&1 && return 0
	printf '#! not available: %s is not on this node\n' "$1"
	return 127
}

# hp_run SECONDS COMMAND...: runs it under a deadline. What it wrote to its
# standard error follows its output, each line marked "#! ". Returns its status.
hp_run() {
	hp_limit=$1
	shift
	hp_has "$1" || return 127
	if [ -z "$hp_timeout" ]; then
		printf '#! not available: %s may hang, and timeout is not on this node\n' "$1"
		return 127
	fi
	{
		$hp_timeout "$hp_limit" "$@" </dev/null 2>&1 >&5 5>&-
		printf '\n%s rc %s\n' "$hp_nonce" "$?"
	} | hp_errors
} 5>&1

# Keeps at most 20 lines until the command has ended, so that they never cut
# into a line of its output. The last line of the input is the status.
hp_errors() {
	hp_n=0 hp_said='' hp_rc=1
	while IFS= read -r hp_line; do
		case $hp_line in
		'') continue ;;
		"$hp_nonce rc "*)
			hp_rc=${hp_line##* }
			continue
			;;
		esac
		hp_n=$((hp_n + 1))
		[ "${#hp_line}" -le 300 ] || hp_line="(a line of ${#hp_line} bytes)"
		[ "$hp_n" -gt 20 ] || hp_said="$hp_said#! $hp_line$hp_nl"
	done
	case $hp_rc in
	124 | 137 | 143)
		printf '\n#! no answer within %s s\n' "$hp_limit"
		hp_rc=124
		;;
	esac
	printf '%s' "$hp_said"
	return "$hp_rc"
}

# The identity of the process that calls it, "pid start-time", in hp_self: the
# start time tells a process from a later one with the same number.
hp_whoami() {
	read -r hp_stat </proc/self/stat || hp_stat='0 (x) 0'
	hp_self=${hp_stat%% *}
	set -- ${hp_stat##*) }
	hp_self="$hp_self ${20:-0}"
}

# hp_alive PID START: does that very process still exist?
hp_alive() {
	[ -r "/proc/$1/stat" ] || return 1
	read -r hp_stat <"/proc/$1/stat" || return 1
	hp_start=$2
	set -- ${hp_stat##*) }
	[ "${20:-0}" = "$hp_start" ]
} 2>/dev/null

# hp_is_hung KEY: a job that was started for KEY earlier still has not ended.
# Such a process waits inside the kernel, where no signal reaches it; another
# one would only wait beside it. hp_hung holds lines "KEY PID START".
hp_is_hung() {
	hp_found=1 hp_keep=''
	IFS=$hp_nl
	for hp_entry in $hp_hung; do
		IFS=' '
		set -- $hp_entry "$1"
		if hp_alive "$2" "$3"; then
			hp_keep="$hp_keep$1 $2 $3$hp_nl"
			[ "$1" = "$4" ] && hp_found=0
		fi
		shift 3
	done
	IFS=" $hp_tab$hp_nl"
	hp_hung=$hp_keep
	return "$hp_found"
}

# hp_guard KEY SECONDS FUNCTION [ARGUMENT...]: runs FUNCTION as a job that
# nobody waits for: the reader ends when the job has closed the pipe, or at the
# deadline, whichever is first. A job stuck in the kernel holds nothing but the
# far end of that pipe. Leaves hp_text (what was printed), hp_rc, hp_ms and
# hp_cut. dd, not head, reads: it passes on each piece at once, so nothing that
# came before a deadline is lost; it copies standard input to standard output
# and stops after hp_blocks pieces of at most 512 bytes.
hp_guard() {
	hp_key=$1 hp_wait=$2
	shift 2
	hp_rc=124 hp_ms=0 hp_cut=0 hp_text=''
	if hp_is_hung "$hp_key"; then
		hp_text="#! an earlier call still does not answer$hp_nl"
		return
	fi
	hp_clock
	hp_began=$hp_now
	hp_text=$(
		{
			hp_job "$@" </dev/null 2>/dev/null &
		} | ${hp_timeout:+$hp_timeout $hp_wait} dd bs=512 count=$hp_blocks 2>/dev/null
	)
	hp_clock
	hp_ms=$(((hp_now - hp_began) * 10))
	hp_first=${hp_text%%"$hp_nl"*}
	hp_last=${hp_text##*"$hp_nl"}
	hp_text=${hp_text#*"$hp_nl"}
	case $hp_last in
	"$hp_nonce rc "*)
		hp_rc=${hp_last##* }
		hp_text=${hp_text%"$hp_nl"*}
		return
		;;
	esac
	# No status arrived: too much output, or no end of it within the deadline.
	hp_cut=1
	set -- $hp_first
	if hp_alive "${1:-0}" "${2:-0}"; then
		hp_hung="$hp_hung$hp_key $1 $2$hp_nl"
	elif [ "$hp_ms" -lt $((hp_wait * 1000)) ]; then
		hp_rc=0
	fi
}

hp_job() {
	hp_whoami
	printf '%s\n' "$hp_self"
	"$@"
	printf '\n%s rc %s\n' "$hp_nonce" "$?"
}

# ---- small readers ----

# Prints a file's lines; hp_cat FILE [PREFIX].
hp_cat() {
	[ -r "$1" ] || return 1
	while IFS= read -r hp_line || [ -n "$hp_line" ]; do
		printf '%s%s\n' "${2-}" "$hp_line"
	done <"$1"
}

# Prints each file that is there as `grep . FILE` would: path, colon, line.
hp_show() {
	for hp_file; do
		hp_cat "$hp_file" "$hp_file:"
	done
}

# hp_piece NAME FILE: a mark, then the file; nothing when there is no such file.
hp_piece() {
	[ -r "$2" ] || return 1
	printf '#@ %s\n' "$1"
	hp_cat "$2"
}

# Mounts of remote filesystems and of the paths that HyperPod uses, the one
# mounted last on each place, in hp_mounts: lines "MOUNTPOINT FSTYPE SOURCE".
hp_list_mounts() {
	hp_mounts=''
	while read -r hp_src hp_mnt hp_type hp_rest; do
		case $hp_type:$hp_mnt in
		lustre:* | nfs:* | nfs4:* | efs:*) ;;
		*:/ | *:/fsx | *:/opt/dlami/nvme | *:/opt/sagemaker) ;;
		*) continue ;;
		esac
		case $hp_nl$hp_mounts in
		*"$hp_nl$hp_mnt "*)
			hp_head=${hp_nl}$hp_mounts
			hp_tail=${hp_head#*"$hp_nl$hp_mnt "}
			hp_head=${hp_head%%"$hp_nl$hp_mnt "*}$hp_nl
			hp_mounts=${hp_head#"$hp_nl"}${hp_tail#*"$hp_nl"}
			;;
		esac
		hp_mounts="$hp_mounts$hp_mnt $hp_type $hp_src$hp_nl"
	done </proc/self/mounts
}

# Undoes the octal escapes of /proc/self/mounts; the result is in hp_path.
hp_unescape() {
	hp_rest=$1 hp_path=''
	while :; do
		case $hp_rest in
		*\\[01][0-7][0-7]*) ;;
		*) break ;;
		esac
		hp_path=$hp_path${hp_rest%%\\*}
		hp_rest=${hp_rest#*\\}
		hp_tail=${hp_rest#???}
		hp_char=$(printf "\\${hp_rest%"$hp_tail"}.")
		hp_path=$hp_path${hp_char%.}
		hp_rest=$hp_tail
	done
	hp_path=$hp_path$hp_rest
}

# ---- sections: one function each, run as a job by hp_guard ----

hp_no_infiniband="ls: cannot access '/sys/class/infiniband': No such file or directory"

# In the main shell: /proc only, which cannot hang. The intr line is left out.
sec_cpu() {
	grep -E '^(cpu|ctxt|btime|processes|procs_)' /proc/stat </dev/null
	for hp_file in cpu io memory; do
		hp_show "/proc/pressure/$hp_file"
	done
}

sec_mounts() {
	while IFS= read -r hp_line; do
		set -- $hp_line
		case ${3-}:${2-} in
		lustre:* | nfs:* | nfs4:* | efs:* | fuse*:* | ext?:* | xfs:* | zfs:* | btrfs:* | \
			tmpfs:/dev/shm | overlay:/) printf '%s\n' "$hp_line" ;;
		esac
	done </proc/self/mounts
}

sec_host() {
	printf '#@ uname\n'
	hp_run 5 uname -snrm
	hp_piece uptime /proc/uptime
	printf '#@ date\n'
	hp_run 5 date +%s
	hp_piece os-release /etc/os-release
	hp_piece meminfo /proc/meminfo
	hp_piece loadavg /proc/loadavg
	printf '#@ cpuinfo\n'
	while IFS= read -r hp_line; do
		case $hp_line in
		"model name"*)
			printf '%s\n' "$hp_line"
			break
			;;
		esac
	done </proc/cpuinfo
	hp_show /sys/devices/system/cpu/online
	printf '#@ dmi\n'
	hp_show /sys/devices/virtual/dmi/id/product_name /sys/devices/virtual/dmi/id/board_asset_tag
	hp_piece resource_config /opt/ml/config/resource_config.json
	hp_file=/run/cloud-init/instance-data.json
	if [ -r $hp_file ]; then
		printf '#@ cloud-init\n'
		grep -E '"(availability_zone|availability_zone_id|availability-zone|availability-zone-id|region|instance_type|instance_id|instance-type|instance-id)"' $hp_file
	fi
	if command -v chronyc >/dev/null; then
		printf '#@ chrony\n'
		hp_run 5 chronyc -n tracking
	fi
	printf '#@ ulimit\n'
	ulimit -l
	printf '#@ vmstat\n'
	grep '^oom_kill ' /proc/vmstat
	return 0
}

sec_efa_counters() {
	set +f
	set -- /sys/class/infiniband/*/ports/*/hw_counters /sys/class/infiniband/*/hw_counters/keep_alive_rcvd
	set -f
	[ -d /sys/class/infiniband ] || {
		echo "$hp_no_infiniband"
		return 0
	}
	for hp_file; do
		shift
		[ -e "$hp_file" ] && set -- "$@" "$hp_file"
	done
	[ $# -gt 0 ] || return 0
	# A counter that cannot be read gets grep's line about it; the others count.
	$hp_timeout ${hp_timeout:+5} grep -r . "$@" 2>&1
	[ $? -ne 124 ] || return 124
}

sec_efa() {
	set +f
	if [ -d /sys/class/infiniband ]; then
		for hp_dev in /sys/class/infiniband/*; do
			[ -d "$hp_dev" ] || continue
			for hp_port in "$hp_dev"/ports/*; do
				hp_show "$hp_port/state" "$hp_port/phys_state" "$hp_port/rate" "$hp_port/link_layer"
			done
			hp_show "$hp_dev/device/vendor" "$hp_dev/device/device" "$hp_dev/device/numa_node"
			(cd -P "$hp_dev/device/driver" && printf '%s -> %s\n' "$hp_dev/device/driver" "${PWD##*/}")
			(cd -P "$hp_dev/device" && printf '%s -> %s\n' "$hp_dev/device" "${PWD##*/}")
			for hp_net in "$hp_dev"/device/net/*; do
				hp_show "$hp_net/operstate" "$hp_net/carrier"
			done
		done
	else
		echo "$hp_no_infiniband"
	fi
	hp_n=0
	for hp_dev in /sys/bus/pci/devices/*; do
		read -r hp_line <"$hp_dev/vendor" || continue
		[ "$hp_line" = 0x1d0f ] || continue
		read -r hp_line <"$hp_dev/device" || continue
		case $hp_line in 0xefa*) hp_n=$((hp_n + 1)) ;; esac
	done
	printf '#@ pci_efa %s\n#@ fi_info\n' "$hp_n"
	hp_run 5 fi_info -p efa
	printf '#@ fi_info exit %s\n' "$?"
}

sec_governor() {
	set +f
	hp_dir=/sys/devices/system/cpu
	for hp_file in $hp_dir/cpu[0-9]*/cpufreq/scaling_governor; do
		hp_show "$hp_file"
	done
	[ -e "$hp_file" ] || echo "cat: '$hp_dir/cpu*/cpufreq/scaling_governor': No such file or directory"
	hp_show $hp_dir/cpu0/cpufreq/scaling_driver
	return 0
}

sec_shm() {
	while read -r hp_src hp_mnt hp_rest; do
		if [ "$hp_mnt" = /dev/shm ]; then
			hp_run 3 df -kP /dev/shm
			return
		fi
	done </proc/self/mounts
	echo "df: /dev/shm: No such file or directory"
	return 1
}

sec_client_io() {
	set +f
	hp_n=0
	for hp_file in /sys/fs/lustre/llite/*/stats /proc/fs/lustre/llite/*/stats \
		/sys/kernel/debug/lustre/llite/*/stats; do
		[ -r "$hp_file" ] || continue
		hp_dev=${hp_file%/stats}
		hp_piece "llite ${hp_dev##*/}" "$hp_file"
		hp_n=$((hp_n + 1))
	done
	if command -v lctl >/dev/null; then
		if [ $hp_n -eq 0 ]; then
			hp_run 5 lctl get_param 'llite.*.stats' | while IFS= read -r hp_line; do
				case $hp_line in
				llite.*.stats=*)
					hp_line=${hp_line#llite.}
					printf '#@ llite %s\n' "${hp_line%.stats=*}"
					;;
				*) printf '%s\n' "$hp_line" ;;
				esac
			done
		fi
		printf '#@ import\n'
		hp_run 5 lctl get_param 'osc.*.import' 'mdc.*.import'
	fi
	printf '#@ mountstats\n'
	sed -n '/^device .* with fstype nfs/,/^$/p' /proc/self/mountstats
}

sec_fabricmanager() {
	hp_run 5 systemctl is-active nvidia-fabricmanager
	hp_status=$?
	[ $hp_status -eq 127 ] && return 127
	printf '#@ load\n'
	hp_run 5 systemctl show -p LoadState nvidia-fabricmanager
	[ $hp_status -eq 124 ] && return 124
	return 0
}

# The name of each file that is there, one a line, after a mark.
hp_names() {
	printf '#@ %s\n' "$1"
	shift
	for hp_file; do
		[ -e "$hp_file" ] && printf '%s\n' "$hp_file"
	done
}

sec_stack() {
	set +f
	hp_piece efa_installed_packages /opt/amazon/efa_installed_packages
	hp_piece 'module efa' /sys/module/efa/version
	if command -v modinfo >/dev/null; then
		printf '#@ modinfo efa\n'
		hp_run 5 modinfo efa | grep -E '^version:'
	fi
	hp_piece nvidia /proc/driver/nvidia/version
	printf '#@ packages\n'
	if command -v dpkg-query >/dev/null; then
		hp_run 5 dpkg-query -W -f '${Package} ${Version}\n' 'efa*' aws-ofi-nccl 'libfabric*' libnccl2 \
			libnccl-ofi nvidia-container-toolkit 'openmpi*-aws' rdma-core 'lustre-client-modules*' \
			aws-neuronx-dkms | grep -E '^[^ ]+ [^ ]'
	elif command -v rpm >/dev/null; then
		hp_run 5 rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\n' 'efa*' aws-ofi-nccl 'libfabric*' libnccl \
			libnccl-ofi nvidia-container-toolkit 'openmpi*-aws' rdma-core 'lustre-client*' \
			'kmod-lustre-client*' aws-neuronx-dkms
	fi
	hp_names ofi_nccl /opt/amazon/ofi-nccl/lib*/*.so* /opt/amazon/ofi-nccl/lib/*/*.so* /opt/aws-ofi-nccl/lib*/*.so*
	hp_names nccl /usr/lib*/libnccl.so.2.* /usr/lib/*/libnccl.so.2.* /usr/local/cuda/lib64/libnccl.so.2.*
	printf '#@ cuda\n'
	(cd -P /usr/local/cuda && printf '/usr/local/cuda -> %s\n' "$PWD")
	if [ -r /usr/local/cuda/version.json ]; then
		grep -A3 '"cuda" *:' /usr/local/cuda/version.json
	fi
	hp_piece 'module lustre' /sys/module/lustre/version
	hp_piece 'module neuron' /sys/module/neuron/version
	printf '#@ modules\n'
	for hp_file in gdrdrv nvidia_peermem; do
		[ -d "/sys/module/$hp_file" ] && printf '%s\n' "$hp_file"
	done
	return 0
}

hp_log_lines='NVRM|nvidia-nvswitch|SXid|nvidia-peermem|libnccl'

sec_xid() {
	hp_piece uptime /proc/uptime
	printf '#@ date\n'
	hp_run 5 date +%s
	printf '#@ log\n'
	hp_log=$({
		hp_run 5 dmesg
		printf '%s rc %s\n' "$hp_nonce" "$?"
	} | grep -E "^#! |^$hp_nonce rc |$hp_log_lines" | tail -n 401)
	hp_status=${hp_log##* }
	hp_log=${hp_log%"$hp_nonce rc "*}
	if [ "$hp_status" -ne 0 ] && command -v journalctl >/dev/null; then
		# Without the right, journalctl shows an empty journal: ask for one line first.
		case $(hp_run 5 journalctl -k -b -o short-iso --no-pager -q -n 1) in
		[0-9]*)
			hp_run 10 journalctl -k -b -o short-iso --no-pager -q -n 20000 |
				grep -E "$hp_log_lines" | tail -n 400
			return 0
			;;
		esac
	fi
	printf '%s' "$hp_log"
	return "$hp_status"
}

sec_nvlink() {
	hp_has nvidia-smi || return 127
	printf '#@ nvlink -s\n'
	hp_run 10 nvidia-smi nvlink -s || return
	printf '#@ nvlink -e\n'
	hp_run 10 nvidia-smi nvlink -e
}

sec_gpu_topo() {
	hp_run 15 nvidia-smi topo -m
}

sec_neuron() {
	hp_has neuron-ls || return 127
	printf '#@ neuron-ls\n'
	hp_run 5 neuron-ls -j
	hp_status=$?
	command -v neuron-monitor >/dev/null || return $hp_status
	# It never ends by itself; its first line is all that is wanted.
	printf '#@ neuron-monitor\n'
	$hp_timeout ${hp_timeout:+3} neuron-monitor | head -n 1
	return $hp_status
}

sec_ras() {
	hp_run 3 ncclras -v
}

# One nvidia-smi for all columns of all GPUs; $1: seconds, $2: columns.
job_gpu_all() {
	hp_run "$1" nvidia-smi "--query-gpu=$2" --format=csv,nounits
}

# One lost GPU fails the whole call: ask each of them alone.
job_gpu_each() {
	set +f
	hp_format=csv,nounits
	for hp_dev in /proc/driver/nvidia/gpus/*; do
		[ -d "$hp_dev" ] || continue
		hp_run 6 nvidia-smi -i "${hp_dev##*/}" "--query-gpu=$1" --format=$hp_format && hp_format=csv,noheader,nounits
	done
	return 0
}

hp_gpu_columns=index,uuid,name,pci.bus_id,serial,driver_version,persistence_mode,mig.mode.current,\
pstate,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,\
temperature.gpu,temperature.memory,utilization.gpu,memory.used,memory.total,power.draw,\
power.limit,clocks.current.sm,clocks.max.sm,clocks_event_reasons.active,\
ecc.errors.uncorrected.volatile.total,ecc.errors.uncorrected.aggregate.total,\
ecc.errors.corrected.volatile.total,remapped_rows.pending,remapped_rows.failure,\
retired_pages.pending,gpu_recovery_action,fabric.state,fabric.status
hp_gpu_limit=25

# A column that this driver does not know fails the whole call and is named:
# leave it out and ask again. What remains is kept for the session.
ask_gpu() {
	hp_tries=0
	while :; do
		hp_guard nvidia $((hp_gpu_limit + 3)) job_gpu_all $hp_gpu_limit "$hp_gpu_columns"
		case $hp_text in
		*'Field "'*'" is not a valid field to query'*) ;;
		*) break ;;
		esac
		hp_name=${hp_text#*Field \"}
		hp_name=${hp_name%%\"*}
		hp_tries=$((hp_tries + 1))
		case ,$hp_gpu_columns, in
		*",$hp_name,"*) [ $hp_tries -le 8 ] || break ;;
		*) break ;;
		esac
		case $hp_name in
		clocks_event_reasons.active) hp_new=,clocks_throttle_reasons.active, ;;
		*) hp_new=, ;;
		esac
		hp_head=,$hp_gpu_columns,
		hp_gpu_columns=${hp_head%%",$hp_name,"*}$hp_new${hp_head#*",$hp_name,"}
		hp_gpu_columns=${hp_gpu_columns#,}
		hp_gpu_columns=${hp_gpu_columns%,}
	done
	case $hp_text in
	*'Unable to determine the device handle for '*)
		hp_all=$hp_text hp_took=$hp_ms
		hp_guard nvidia 45 job_gpu_each "$hp_gpu_columns"
		hp_text=$hp_all$hp_nl$hp_text
		hp_ms=$((hp_took + hp_ms))
		;;
	esac
	# 25 s are for a driver that first has to wake the GPUs; a node that answers
	# at once is not given that long again.
	[ $hp_rc -eq 0 ] && [ "$hp_ms" -gt 0 ] && [ "$hp_ms" -lt 3000 ] && hp_gpu_limit=10
}

# One mount's statfs; $1: as in /proc/self/mounts. Prints nothing when there is
# no answer: the "?" line without one says so.
job_statfs() {
	hp_whoami
	printf '^ %s %s\n' "$hp_self" "$1"
	hp_unescape "$1"
	hp_clock
	hp_began=$hp_now
	hp_out=$($hp_timeout 3 stat -f -c '%S %b %f %a %c %d' -- "$hp_path" 2>&1)
	hp_status=$?
	hp_clock
	case $hp_status in
	0) printf '= %s %s %s\n' "$1" "$hp_out" $(((hp_now - hp_began) * 10)) ;;
	124 | 137 | 143) ;;
	*) printf '! %s %.200s\n' "$1" "${hp_out%%"$hp_nl"*}" ;;
	esac
}

# One job for each mount, all at once, read as hp_guard reads its job.
ask_capacity() {
	hp_rc=0 hp_ms=0 hp_cut=0 hp_text='' hp_jobs=''
	if ! hp_text=$(hp_has stat && [ -n "$hp_timeout" ]); then
		hp_rc=127
		hp_text="${hp_text:-#! not available: stat may hang, and timeout is not on this node}$hp_nl"
		return
	fi
	hp_list_mounts
	hp_n=0
	IFS=$hp_nl
	for hp_entry in $hp_mounts; do
		IFS=' '
		set -- $hp_entry
		hp_n=$((hp_n + 1))
		if [ $hp_n -gt 64 ]; then
			hp_text="$hp_text#! more than 64 mounts: the others were not asked$hp_nl"
			break
		fi
		hp_text="$hp_text? $2 $3 $1$hp_nl"
		if hp_is_hung "statfs:$1"; then
			hp_text="$hp_text~ $1 still not answering$hp_nl"
		else
			hp_jobs="$hp_jobs $1"
		fi
		IFS=$hp_nl
	done
	IFS=" $hp_tab$hp_nl"
	hp_clock
	hp_began=$hp_now
	hp_out=$(
		{
			for hp_mnt in $hp_jobs; do
				job_statfs "$hp_mnt" </dev/null 2>/dev/null &
			done
		} | $hp_timeout 5 dd bs=512 count=$hp_blocks 2>/dev/null
	)
	hp_clock
	hp_ms=$(((hp_now - hp_began) * 10))
	IFS=$hp_nl
	for hp_entry in $hp_out; do
		case $hp_entry in
		'^ '*)
			IFS=' '
			set -- $hp_entry
			hp_alive "$2" "$3" && hp_hung="${hp_hung}statfs:$4 $2 $3$hp_nl"
			IFS=$hp_nl
			;;
		*) hp_text="$hp_text$hp_entry$hp_nl" ;;
		esac
	done
	IFS=" $hp_tab$hp_nl"
}

job_lfs_df() {
	hp_unescape "$1"
	hp_run 5 lfs df "$hp_path"
}

# lfs df of each Lustre mount in turn, each with its own deadline.
ask_lustre_df() {
	hp_list_mounts
	hp_all='' hp_took=0 hp_worst=0 hp_n=0
	if ! hp_all=$(hp_has lfs); then
		hp_text=$hp_all$hp_nl hp_rc=127 hp_ms=0 hp_cut=0
		return
	fi
	IFS=$hp_nl
	for hp_entry in $hp_mounts; do
		IFS=" $hp_tab$hp_nl"
		set -- $hp_entry
		[ "$2" = lustre ] || continue
		if hp_is_hung "statfs:$1"; then
			hp_all="$hp_all#! $1: skipped, the mount does not answer$hp_nl"
			hp_worst=124
			continue
		fi
		hp_guard "lfs:$1" 8 job_lfs_df "$1"
		hp_all=$hp_all$hp_text
		[ "$hp_rc" -eq 0 ] || hp_worst=$hp_rc
		hp_took=$((hp_took + hp_ms))
		[ "$hp_cut" -eq 0 ] || hp_n=1
	done
	IFS=" $hp_tab$hp_nl"
	hp_text=$hp_all hp_rc=$hp_worst hp_ms=$hp_took hp_cut=$hp_n
}

# ---- answering ----

# The sections that need more than one job, or none; all others are one job with
# the given deadline, longer than the commands in it may take together.
hp_answer() {
	hp_blocks=1024
	for hp_section; do
		case $hp_section in
		cpu | mounts) hp_kind=here ;;
		gpu | capacity | lustre_df) hp_kind=ask ;;
		efa_counters | efa | governor | shm | ras) hp_kind=8 ;;
		host | client_io | fabricmanager | neuron) hp_kind=16 ;;
		stack | gpu_topo) hp_kind=20 ;;
		nvlink | xid) hp_kind=28 ;;
		*) continue ;; # the client is newer than this text
		esac
		echo "@hp $hp_nonce begin $hp_section"
		case $hp_kind in
		here)
			hp_clock
			hp_began=$hp_now
			sec_$hp_section 2>/dev/null
			hp_rc=$?
			hp_clock
			hp_ms=$(((hp_now - hp_began) * 10)) hp_cut=0
			;;
		ask)
			ask_$hp_section
			printf '%s' "$hp_text"
			;;
		*)
			case $hp_section in
			nvlink | gpu_topo) hp_key=nvidia ;;
			*) hp_key=$hp_section ;;
			esac
			hp_guard $hp_key $hp_kind sec_$hp_section
			printf '%s' "$hp_text"
			;;
		esac
		printf '\n@hp %s end %s %s %s %s\n' "$hp_nonce" "$hp_section" "$hp_rc" "$hp_ms" "$hp_cut"
	done
	echo "@hp $hp_nonce done"
}

hp_main() {
	hp_nonce=$1
	shift
	hp_hung='' hp_timeout=''
	# A deadline that a command ignores is followed by the one that it cannot.
	for hp_try in 'timeout -k 1' timeout 'timeout -t'; do
		if $hp_try 1 true </dev/null >/dev/null 2>&1; then
			hp_timeout=$hp_try
			break
		fi
	done
	printf '\n@hp %s ready 1\n' "$hp_nonce"
	hp_answer "$@"
	while read -r hp_request; do
		[ "$hp_request" = quit ] && break
		hp_answer $hp_request
	done
	exit 0
}
