# hyperpod-perf probe: the only text that hyperpod-perf runs on a node.
#
# It reads and prints. It opens nothing for writing but /dev/null, makes no file,
# sends no signal, changes no setting and needs no root. Every command that it
# runs stands below in plain words and has /dev/null as its standard input, a
# deadline, and a limit on how much it may print. (The vendors' own tools, such as
# nvidia-smi, open their devices as they do for anyone who asks them for status.)
#
# `sh -s` (dash, bash, busybox sh) reads this text from its standard input, then
# one line "hp_main NONCE [section...]" that starts it. The answer is framed as
# collectors/frame.h describes. Each later line of input asks for sections again,
# or for files of one directory that the operator has named ("@list", "@read");
# the end of the input, or the line "quit", ends the probe. All that is above
# hp_main only prepares: a text that arrives in part runs no command.

# What a login environment may have bent. -f: no word found on a node is ever
# taken for a file name pattern; the loops over a directory lift that, in a job.
\unset -f unalias set unset read printf echo command test [ ulimit cd timeout dd grep sed head tail 2>/dev/null
\unalias -a 2>/dev/null
set +aeuvx -f
unset -v CDPATH ENV BASH_ENV TMOUT POSIXLY_CORRECT GREP_OPTIONS LANGUAGE hp_nonce hp_text 2>/dev/null
PATH=${PATH:-/usr/bin:/bin}:/usr/local/nvidia/bin:/opt/amazon/efa/bin:/opt/aws/neuron/bin:/usr/bin:/bin:/usr/sbin:/sbin
LC_ALL=C S_COLORS=never NO_COLOR=1 TERM=dumb
export PATH LC_ALL S_COLORS NO_COLOR TERM
hp_ifs=$(printf ' \t\n.')
hp_ifs=${hp_ifs%.}
hp_nl=${hp_ifs#??}
IFS=$hp_ifs

# ---- running commands under a deadline ----

# Centiseconds since boot in hp_now, without starting a process.
hp_clock() {
	hp_now=0
	read -r hp_up hp_rest </proc/uptime || return 0
	case $hp_up in
	*[!0-9.]* | *.*.* | .*) ;;
	*.??) hp_now=$((${hp_up%.*} * 100 + 1${hp_up#*.} - 100)) ;;
	esac
} 2>/dev/null

# hp_has COMMAND: is it there? If not, that is said as the section's answer.
hp_has() {
	command -v "$1" >/dev/null 2>&1 && return 0
	printf '#! not available: %s is not on this node\n' "$1"
	return 127
}

# hp_run SECONDS COMMAND...: what it wrote to its standard error follows its
# output, each line marked "#! ". Returns its status, 124 when it did not end.
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

# Holds back at most 20 lines until the command has ended, so that they never
# cut into a line of its output. The last line of the input is the status.
hp_errors() {
	hp_n=0 hp_said='' hp_rc=1
	while IFS= read -r hp_line; do
		case $hp_line in
		"$hp_nonce rc "*) hp_rc=${hp_line##* } ;;
		?*)
			hp_n=$((hp_n + 1))
			[ "${#hp_line}" -le 300 ] || hp_line="(a line of ${#hp_line} bytes)"
			[ "$hp_n" -gt 20 ] || hp_said="$hp_said#! $hp_line$hp_nl"
			;;
		esac
	done
	case $hp_rc in
	124 | 137 | 143) # may follow half a line, which must not pass for a whole one
		hp_rc=124 hp_said=" (no answer within $hp_limit s)$hp_nl$hp_said"
		;;
	esac
	printf '%s' "$hp_said"
	return "$hp_rc"
}

# ---- jobs that nobody waits for ----
#
# A process that waits inside the kernel (a dead mount, a sick driver) cannot be
# ended by any signal, so nothing here ever waits for one: a job writes to a
# pipe, and the pipe's reader ends at a deadline of its own. The job then holds
# nothing but the far end of that pipe, and while it exists it is not started
# again. hp_hung: lines "KEY PID START", of jobs that gave no end.

# "PID START" of the calling process in hp_self; the start time tells a process
# from a later one with the same number.
hp_whoami() {
	read -r hp_stat </proc/self/stat || hp_stat='0 (x) 0'
	hp_self=${hp_stat%% *}
	set -- ${hp_stat##*) }
	hp_self="$hp_self ${20:-0}"
}

# hp_alive PID START: does that very process still run? (Z: it only waits to be reaped.)
hp_alive() {
	[ -r "/proc/$1/stat" ] && read -r hp_stat <"/proc/$1/stat" || return 1
	hp_start=$2
	set -- ${hp_stat##*) }
	[ "${20:-0}" = "$hp_start" ] && [ "$1" != Z ]
} 2>/dev/null

# hp_is_hung KEY: does an earlier job of that name still exist? Forgets the ended.
hp_is_hung() {
	hp_found=1 hp_keep=''
	IFS=$hp_nl
	for hp_entry in $hp_hung; do
		IFS=$hp_ifs
		set -- "$1" $hp_entry
		hp_alive "$3" "$4" || continue
		hp_keep="$hp_keep$hp_entry$hp_nl"
		[ "$1" != "$2" ] || hp_found=0
	done
	IFS=$hp_ifs
	hp_hung=$hp_keep
	return "$hp_found"
}

# The reader of a job's pipe: dd, because it passes on each piece at once, so that
# nothing that came before the deadline is lost (head holds it back). It copies its
# standard input to its standard output and stops after 1024 pieces of 512 bytes.
hp_reader='dd bs=512 count=1024'

# hp_guard KEY SECONDS FUNCTION [ARGUMENT...]: runs FUNCTION as such a job. Leaves
# hp_text (what it printed), hp_rc, hp_ms and hp_cut.
hp_guard() {
	hp_key=$1 hp_wait=$2
	shift 2
	hp_rc=124 hp_ms=0 hp_cut=0
	hp_clock
	hp_began=$hp_now hp_left=$((35 - (hp_now - hp_asked) / 100))
	[ "$hp_wait" -le "$hp_left" ] || hp_wait=$hp_left
	hp_text="#! not asked: this request has taken too long already$hp_nl"
	[ "$hp_wait" -gt 0 ] || return
	hp_text="#! not asked: an earlier call still does not answer$hp_nl"
	hp_is_hung "$hp_key" && return
	hp_text=$({ hp_job "$@" & } | ${hp_timeout:+$hp_timeout $hp_wait} $hp_reader 2>/dev/null)
	hp_status=$?
	hp_clock
	hp_ms=$(((hp_now - hp_began) * 10))
	set -- ${hp_text%%"$hp_nl"*}
	case $hp_text in
	*"$hp_nl"*) hp_text=${hp_text#*"$hp_nl"} ;;
	*) hp_text='' ;;
	esac
	case $hp_text in
	*"$hp_nl$hp_nonce rc "*)
		hp_rc=${hp_text##*" rc "}
		hp_text=${hp_text%"$hp_nl"*}
		case $hp_text in '' | *"$hp_nl") ;; *) hp_text=$hp_text$hp_nl ;; esac
		;;
	*) # no status came: too much output, or no end of it
		hp_cut=1
		[ "$hp_status" -eq 124 ] || hp_rc=0
		[ "$hp_rc" -eq 0 ] || ! hp_alive "${1:-0}" "${2:-0}" || hp_hung="$hp_hung$hp_key $1 $2$hp_nl"
		;;
	esac
}

hp_job() {
	exec </dev/null 2>/dev/null # exec: a redirection of the call would keep copies
	hp_whoami
	printf '%s\n' "$hp_self"
	"$@"
	printf '\n%s rc %s\n' "$hp_nonce" "$?"
}

# ---- small readers ----

# hp_cat FILE [PREFIX]: a file's lines.
hp_cat() {
	[ -r "$1" ] || return 1
	while IFS= read -r hp_line || [ -n "$hp_line" ]; do
		printf '%s%s\n' "${2-}" "$hp_line"
	done <"$1"
}

# hp_show FILE...: each that is there, as `grep . FILE` prints it.
hp_show() {
	for hp_file; do
		hp_cat "$hp_file" "$hp_file:"
	done
}

# hp_piece NAME FILE: a mark, then the file; nothing when there is no such file.
hp_piece() {
	[ ! -r "$2" ] || printf '#@ %s\n' "$1"
	hp_cat "$2"
}

# hp_names NAME FILE...: a mark, then the names of those files that are there.
hp_names() {
	printf '#@ %s\n' "$1"
	shift
	for hp_file; do
		[ ! -e "$hp_file" ] || printf '%s\n' "$hp_file"
	done
}

# hp_link LINK: where it points, by its last component. Moves the job itself to
# that directory, since a subshell for each of 64 links would be 64 processes.
hp_link() {
	cd -P "$1" && printf '%s -> %s\n' "$1" "${PWD##*/}"
}

# The remote filesystems and the paths that HyperPod uses, in hp_mounts: lines
# "MOUNTPOINT FSTYPE SOURCE", the one mounted last on each place.
hp_list_mounts() {
	hp_mounts=$hp_nl
	while read -r hp_src hp_mnt hp_type hp_rest; do
		case $hp_type:$hp_mnt in
		lustre:* | nfs:* | nfs4:* | efs:* | *:/ | *:/fsx | *:/opt/dlami/nvme | *:/opt/sagemaker) ;;
		*) continue ;;
		esac
		case $hp_mounts in
		*"$hp_nl$hp_mnt "*)
			hp_rest=${hp_mounts#*"$hp_nl$hp_mnt "}
			hp_mounts=${hp_mounts%%"$hp_nl$hp_mnt "*}$hp_nl${hp_rest#*"$hp_nl"}
			;;
		esac
		hp_mounts="$hp_mounts$hp_mnt $hp_type $hp_src$hp_nl"
	done </proc/self/mounts
}

# Undoes the octal escapes of /proc/self/mounts; the result is in hp_path.
hp_unescape() {
	hp_path=$1.
	case $1 in *\\*) hp_path=$(printf '%b.' "$(printf '%s\n' "$1" | sed 's/\\/\\0/g')") ;; esac
	hp_path=${hp_path%.}
}

# ---- sections: sec_NAME prints one, as a job (cpu and mounts: at once) ----

# /proc only, which cannot hang; without the intr line, which may be 100 KB.
sec_cpu() {
	grep -E '^(cpu|ctxt|btime|processes|procs_)' /proc/stat
	hp_show /proc/pressure/cpu /proc/pressure/io /proc/pressure/memory
}

sec_mounts() {
	while IFS= read -r hp_line; do
		set -- $hp_line
		case ${3-}:${2-} in
		lustre:* | nfs:* | nfs4:* | efs:* | fuse*:* | ext?:* | xfs:* | zfs:* | btrfs:* | tmpfs:/dev/shm | overlay:/)
			printf '%s\n' "$hp_line"
			;;
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
	grep -m 1 '^model name' /proc/cpuinfo
	hp_show /sys/devices/system/cpu/online
	printf '#@ dmi\n'
	hp_show /sys/devices/virtual/dmi/id/product_name /sys/devices/virtual/dmi/id/board_asset_tag
	hp_piece resource_config /opt/ml/config/resource_config.json
	if [ -r /run/cloud-init/instance-data.json ]; then
		printf '#@ cloud-init\n'
		grep -E '"(availability[_-]zone([_-]id)?|region|instance[_-](type|id))"' /run/cloud-init/instance-data.json
	fi
	if command -v chronyc >/dev/null; then
		printf '#@ chrony\n'
		hp_run 2 chronyc -n -h 127.0.0.1 tracking # by a socket file of its own otherwise
	fi
	printf '#@ ulimit\n'
	ulimit -l
	printf '#@ vmstat\n'
	grep '^oom_kill ' /proc/vmstat
	return 0
}

# The sentence that ls would print: no RDMA device at all is an answer.
hp_infiniband() {
	[ -d /sys/class/infiniband ] && return 0
	echo "ls: cannot access '/sys/class/infiniband': No such file or directory"
	return 1
}

sec_efa_counters() {
	hp_infiniband || return 0
	set +f
	for hp_file in /sys/class/infiniband/*/ports/*/hw_counters /sys/class/infiniband/*/hw_counters/keep_alive_rcvd; do
		[ ! -e "$hp_file" ] || set -- "$@" "$hp_file"
	done
	[ $# -gt 0 ] || return 0
	# One process reads them all. A counter that cannot be read has grep's line
	# about it in the text; the others count.
	grep -r . "$@" 2>&1
	return 0
}

sec_efa() {
	set +f
	hp_infiniband && for hp_dev in /sys/class/infiniband/*; do
		[ -d "$hp_dev" ] || continue
		for hp_port in "$hp_dev"/ports/*; do
			hp_show "$hp_port/state" "$hp_port/phys_state" "$hp_port/rate" "$hp_port/link_layer"
		done
		hp_show "$hp_dev/device/vendor" "$hp_dev/device/device" "$hp_dev/device/numa_node"
		hp_link "$hp_dev/device"
		hp_link "$hp_dev/device/driver"
		for hp_net in "$hp_dev"/device/net/*; do
			hp_show "$hp_net/operstate" "$hp_net/carrier"
		done
	done
	hp_n=0
	for hp_dev in /sys/bus/pci/devices/*; do
		read -r hp_line <"$hp_dev/vendor" && [ "$hp_line" = 0x1d0f ] || continue
		read -r hp_line <"$hp_dev/device"
		case $hp_line in 0xefa*) hp_n=$((hp_n + 1)) ;; esac
	done
	printf '#@ pci_efa %s\n#@ fi_info\n' "$hp_n"
	hp_run 5 fi_info -p efa
	printf '#@ fi_info exit %s\n' "$?"
}

sec_governor() {
	set +f
	set -- /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor
	[ -e "$1" ] || echo "cat: '/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor': No such file or directory"
	hp_show "$@" /sys/devices/system/cpu/cpu0/cpufreq/scaling_driver
	return 0
}

sec_shm() {
	while read -r hp_src hp_mnt hp_rest; do
		[ "$hp_mnt" = /dev/shm ] || continue
		hp_run 3 df -kP /dev/shm
		return
	done </proc/self/mounts
	echo "df: /dev/shm: No such file or directory"
	return 1
}

sec_client_io() {
	set +f
	hp_n=0
	for hp_file in /sys/fs/lustre/llite/*/stats /proc/fs/lustre/llite/*/stats /sys/kernel/debug/lustre/llite/*/stats; do
		hp_dev=${hp_file%/stats}
		hp_piece "llite ${hp_dev##*/}" "$hp_file" && hp_n=1
	done
	set -f
	if command -v lctl >/dev/null; then
		[ $hp_n -eq 1 ] || hp_run 5 lctl get_param 'llite.*.stats' | sed 's/^llite\.\(.*\)\.stats=.*/#@ llite \1/'
		printf '#@ import\n'
		hp_run 5 lctl get_param 'osc.*.import' 'mdc.*.import' |
			grep -E '^[^ ]|^ (.*no answer| +(name|target|state|connection|rpcs|connection_attempts|inflight|timeouts|avg_waittime):)'
	fi
	printf '#@ mountstats\n'
	sed -n '/^device .* with fstype nfs/,/^$/p' /proc/self/mountstats
}

sec_fabricmanager() {
	hp_run 5 systemctl is-active nvidia-fabricmanager
	hp_status=$?
	[ $hp_status -ne 127 ] || return 127
	printf '#@ load\n'
	hp_run 5 systemctl show -p LoadState nvidia-fabricmanager
	[ $hp_status -ne 124 ] || return 124
	return 0
}

sec_stack() {
	set +f
	hp_piece efa_installed_packages /opt/amazon/efa_installed_packages
	hp_piece 'module efa' /sys/module/efa/version
	if command -v modinfo >/dev/null; then
		printf '#@ modinfo efa\n'
		hp_run 5 modinfo efa | grep '^version:'
	fi
	hp_piece nvidia /proc/driver/nvidia/version
	hp_names ofi_nccl /opt/amazon/ofi-nccl/lib*/*.so* /opt/amazon/ofi-nccl/lib/*/*.so* /opt/aws-ofi-nccl/lib*/*.so*
	hp_names nccl /usr/lib*/libnccl.so.2.* /usr/lib/*/libnccl.so.2.* /usr/local/cuda/lib64/libnccl.so.2.*
	printf '#@ cuda\n'
	(cd -P /usr/local/cuda && printf '/usr/local/cuda -> %s\n' "$PWD")
	[ ! -r /usr/local/cuda/version.json ] || grep -A 3 '"cuda" *:' /usr/local/cuda/version.json
	hp_piece 'module lustre' /sys/module/lustre/version
	hp_piece 'module neuron' /sys/module/neuron/version
	printf '#@ modules\n'
	[ ! -d /sys/module/gdrdrv ] || echo gdrdrv
	[ ! -d /sys/module/nvidia_peermem ] || echo nvidia_peermem
	printf '#@ packages\n'
	set -f
	set -- 'efa*' aws-ofi-nccl libnccl-ofi 'libfabric*' libnccl libnccl2 nvidia-container-toolkit 'openmpi*-aws' \
		rdma-core 'lustre-client*' 'kmod-lustre-client*' aws-neuronx-dkms
	if command -v dpkg-query >/dev/null; then
		hp_run 5 dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' "$@" |
			sed -n 's/^installed //p; /no packages found/d; /^#! /p'
	elif command -v rpm >/dev/null; then
		set -- rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\n' "$@"
		# rpm opens its database for writing where it may: then ask as nobody.
		[ ! -w /var/lib/rpm ] || set -- setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
		hp_run 10 "$@"
	fi
	return 0
}

sec_xid() {
	hp_piece uptime /proc/uptime
	printf '#@ date\n'
	hp_run 5 date +%s
	printf '#@ log\n'
	hp_want='NVRM|nvidia-nvswitch|SXid|nvidia-peermem|libnccl'
	hp_log=$({
		hp_run 5 dmesg
		printf '%s rc %s\n' "$hp_nonce" "$?"
	} | grep -E "^#! |^$hp_nonce rc |$hp_want" | tail -n 401)
	hp_status=${hp_log##* }
	# journalctl shows an empty journal to those who may not read it: one line first.
	if [ "$hp_status" -ne 0 ] && command -v journalctl >/dev/null; then
		case $(hp_run 5 journalctl -k -b -o short-iso --no-pager -q -n 1) in
		[0-9]*)
			hp_run 10 journalctl -k -b -o short-iso --no-pager -q -n 20000 | grep -E "$hp_want" | tail -n 400
			return 0
			;;
		esac
	fi
	printf '%s' "${hp_log%"$hp_nonce rc "*}"
	return "$hp_status"
}

sec_nvlink() {
	hp_has nvidia-smi || return 127
	printf '#@ nvlink -s\n'
	hp_run 10 nvidia-smi nvlink -s || return
	printf '#@ nvlink -e\n'
	hp_run 10 nvidia-smi nvlink -e
}

sec_gpu_topo() { hp_run 15 nvidia-smi topo -m; }

sec_neuron() {
	hp_has neuron-ls || return 127
	printf '#@ neuron-ls\n'
	hp_run 5 neuron-ls -j
	hp_status=$?
	# neuron-monitor never ends by itself; its first line is all that is wanted.
	if [ -n "$hp_timeout" ] && command -v neuron-monitor >/dev/null; then
		printf '\n#@ neuron-monitor\n'
		$hp_timeout 3 neuron-monitor | head -n 1
	fi
	return $hp_status
}

sec_ras() { hp_run 3 ncclras -v; }

# ---- sections that take more than one job ----

hp_columns=index,uuid,name,pci.bus_id,serial,driver_version,persistence_mode,mig.mode.current,pstate,\
pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,temperature.gpu,\
temperature.memory,utilization.gpu,memory.used,memory.total,power.draw,power.limit,clocks.current.sm,\
clocks.max.sm,clocks_event_reasons.active,ecc.errors.uncorrected.volatile.total,\
ecc.errors.uncorrected.aggregate.total,ecc.errors.corrected.volatile.total,remapped_rows.pending,\
remapped_rows.failure,retired_pages.pending,gpu_recovery_action,fabric.state,fabric.status
hp_smi_limit=25 hp_smi_down=0

job_gpu_all() { hp_run $hp_smi_limit nvidia-smi "--query-gpu=$hp_columns" --format=csv,nounits; }

job_gpu_each() {
	set +f
	hp_format=csv,nounits
	for hp_dev in /proc/driver/nvidia/gpus/*; do
		[ -d "$hp_dev" ] || continue
		hp_run 6 nvidia-smi -i "${hp_dev##*/}" "--query-gpu=$hp_columns" --format=$hp_format &&
			hp_format=csv,noheader,nounits
	done
	return 0
}

# hp_drop_column NAME: leaves it out of hp_columns, for the session. Fails when
# it is not one of them.
hp_drop_column() {
	hp_new=,
	[ "$1" != clocks_event_reasons.active ] || hp_new=,clocks_throttle_reasons.active, # its name before 535
	case ,$hp_columns, in
	*",$1,"*) hp_columns=,$hp_columns, ;;
	*) return 1 ;;
	esac
	hp_columns=${hp_columns%%",$1,"*}$hp_new${hp_columns#*",$1,"}
	hp_columns=${hp_columns#,}
	hp_columns=${hp_columns%,}
}

ask_gpu() {
	for hp_try in 1 2 3 4 5 6 7 8 9; do
		hp_guard nvidia $((hp_smi_limit + 3)) job_gpu_all
		# A column that this driver does not know fails the whole call and is named.
		case $hp_text in
		'Field "'*'" is not a valid field to query'*) ;;
		*) break ;;
		esac
		hp_line=${hp_text#*\"}
		hp_drop_column "${hp_line%%\"*}" || break
	done
	# A driver that has to wake the GPUs first may take 25 s; others get no more than 10.
	[ "$hp_rc" -eq 0 ] && [ "$hp_ms" -gt 3000 ] || hp_smi_limit=10
	hp_smi_down=0
	[ "$hp_rc" -ne 124 ] || hp_smi_down=1
	case $hp_text in
	*'Unable to determine the device handle for '*) ;;
	*) return ;;
	esac
	# One lost GPU fails the whole call too: ask each alone.
	hp_all=$hp_text hp_took=$hp_ms
	hp_guard nvidia 20 job_gpu_each
	hp_text=$hp_all$hp_text hp_ms=$((hp_took + hp_ms))
}

# One mount's statfs. No answer, no line: the "?" line without one says so.
job_statfs() {
	exec </dev/null 2>/dev/null
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

# All mounts at once, each in a job of its own.
ask_capacity() {
	hp_rc=0 hp_ms=0 hp_cut=0 hp_n=0 hp_jobs='' hp_text=''
	if [ -z "$hp_timeout" ]; then
		hp_rc=127 hp_text="#! not available: stat may hang, and timeout is not on this node$hp_nl"
		return
	fi
	hp_list_mounts
	IFS=$hp_nl
	for hp_entry in $hp_mounts; do
		IFS=$hp_ifs
		set -- $hp_entry
		hp_n=$((hp_n + 1))
		[ $hp_n -le 64 ] || break
		hp_text="$hp_text? $2 $3 $1$hp_nl"
		if hp_is_hung "statfs:$1"; then
			hp_text="$hp_text~ $1 still not answering$hp_nl"
		else
			hp_jobs="$hp_jobs $1"
		fi
	done
	IFS=$hp_ifs
	[ $hp_n -le 64 ] || hp_text="$hp_text#! more than 64 mounts: the others were not asked$hp_nl"
	hp_clock
	hp_began=$hp_now
	hp_all=$({
		for hp_mnt in $hp_jobs; do
			job_statfs "$hp_mnt" &
		done
	} | $hp_timeout 5 $hp_reader 2>/dev/null)
	hp_clock
	hp_ms=$(((hp_now - hp_began) * 10))
	IFS=$hp_nl
	for hp_entry in $hp_all; do
		IFS=$hp_ifs
		set -- $hp_entry
		case $1 in
		^) ! hp_alive "$2" "$3" || hp_hung="${hp_hung}statfs:$4 $2 $3$hp_nl" ;;
		*) hp_text="$hp_text$hp_entry$hp_nl" ;;
		esac
	done
	IFS=$hp_ifs
}

# --lazy answers for targets that are gone instead of waiting for them.
job_lfs_df() {
	hp_unescape "$1"
	hp_out=$(hp_run 5 lfs df --lazy "$hp_path")
	hp_status=$?
	case $hp_status in
	0 | 124) printf '%s\n' "$hp_out" ;;
	*) hp_run 5 lfs df "$hp_path" ;;
	esac
}

ask_lustre_df() {
	hp_list_mounts
	hp_took=0 hp_worst=0 hp_any=0
	if ! hp_all=$(hp_has lfs); then
		hp_text=$hp_all$hp_nl hp_rc=127 hp_ms=0 hp_cut=0
		return
	fi
	IFS=$hp_nl
	for hp_entry in $hp_mounts; do
		IFS=$hp_ifs
		set -- $hp_entry
		[ "$2" = lustre ] || continue
		if hp_is_hung "statfs:$1"; then
			hp_all="$hp_all#! $1: skipped, the mount does not answer$hp_nl" hp_worst=124
			continue
		fi
		hp_guard "lfs:$1" 12 job_lfs_df "$1"
		case $hp_text in # cut inside a line: half of it would run into the next mount's first
		'' | *"$hp_nl") ;;
		*"$hp_nl"*) hp_text=${hp_text%"$hp_nl"*}$hp_nl ;;
		*) hp_text='' ;;
		esac
		hp_all=$hp_all$hp_text hp_took=$((hp_took + hp_ms))
		[ "$hp_rc" -eq 0 ] || hp_worst=$hp_rc
		[ "$hp_cut" -eq 0 ] || hp_any=1
	done
	IFS=$hp_ifs
	hp_text=$hp_all hp_rc=$hp_worst hp_ms=$hp_took hp_cut=$hp_any
}

# ---- answering ----

# A section of /proc only, printed at once.
hp_here() {
	hp_clock
	hp_began=$hp_now
	sec_$1 </dev/null 2>/dev/null
	hp_rc=$? hp_cut=0 hp_text=''
	hp_clock
	hp_ms=$(((hp_now - hp_began) * 10))
}

# hp_guard for a section that asks nvidia-smi, unless it has just not answered.
hp_smi() {
	hp_rc=124 hp_ms=0 hp_cut=0
	hp_text="#! not asked: nvidia-smi did not answer$hp_nl"
	[ $hp_smi_down -eq 1 ] || hp_guard nvidia 23 "$1"
}

hp_answer() {
	hp_clock
	hp_asked=$hp_now
	for hp_name; do
		case $hp_name in
		cpu | mounts) hp_how="hp_here $hp_name" ;;
		gpu | capacity | lustre_df) hp_how=ask_$hp_name ;;
		nvlink | gpu_topo) hp_how="hp_smi sec_$hp_name" ;;
		stack | xid) hp_how="hp_guard $hp_name 25 sec_$hp_name" ;;
		host | efa_counters | efa | governor | shm | client_io | fabricmanager | neuron | ras)
			hp_how="hp_guard $hp_name 16 sec_$hp_name"
			;;
		*) continue ;; # the client is newer than this text
		esac
		echo "@hp $hp_nonce begin $hp_name"
		$hp_how
		printf '%s\n@hp %s end %s %s %s %s\n' "$hp_text" "$hp_nonce" "$hp_name" "$hp_rc" "$hp_ms" "$hp_cut"
	done
	echo "@hp $hp_nonce done"
}

# ---- files of a directory that the operator has named ----
#
# A name is data: it is taken from a line of input as it stands, up to its end, and
# used in quotes. Names with a line break, and those that begin with a dot, are
# passed over; links are not followed.

# hp_enter PATH: moves the job to the directory, or to that of the one file.
hp_enter() {
	hp_what=.
	if [ ! -d "$1" ]; then
		[ -f "$1" ] || return 2
		hp_what=./${1##*/}
		case $1 in
		*/*) set -- "${1%/*}/" ;;
		*) set -- . ;;
		esac
	fi
	case $1 in
	/*) cd -P "$1" ;;
	*) cd -P "./$1" ;;
	esac
}

# job_list MINUTES SKIP PATH: "SIZE CHANGED NAME" of files, of those changed in
# the last MINUTES only (0: of all), at most 4000 after the first SKIP.
job_list() {
	hp_enter "$3" || {
		echo '#! no such file or directory'
		return 2
	}
	[ "$hp_what" = . ] || echo '#@ file'
	hp_skip=$(($2 + 1)) hp_age=$1
	set -- "$hp_what" -type f ! -path "*/.?*" ! -path "*$hp_nl*"
	[ "$hp_age" -eq 0 ] || set -- "$@" -mmin "-$hp_age"
	hp_run 14 find "$@" -exec stat -c '%s %Y %n' -- '{}' + | tail -n "+$hp_skip" | head -n 4000
}

# job_read PATH: the wanted pieces, lines "BLOCK COUNT NAME" of hp_wanted, each
# after a mark. Blocks are of 4096 bytes.
job_read() {
	hp_enter "$1" || return 2
	IFS=$hp_nl
	for hp_line in $hp_wanted; do
		IFS=$hp_ifs
		hp_rest=${hp_line#* }
		printf '\n%s piece\n' "$hp_nonce"
		dd bs=4096 "skip=${hp_line%% *}" "count=${hp_rest%% *}" "if=${hp_rest#* }"
	done
	IFS=$hp_ifs
	printf '\n%s end\n' "$hp_nonce"
}

# hp_files FUNCTION ARGUMENT...: frames what such a job gives.
hp_files() {
	hp_clock
	hp_asked=$hp_now
	echo "@hp $hp_nonce begin files"
	hp_guard files 20 "$@"
	printf '%s\n@hp %s end files %s %s %s\n' "$hp_text" "$hp_nonce" "$hp_rc" "$hp_ms" "$hp_cut"
	echo "@hp $hp_nonce done"
}

# "MINUTES SKIP PATH"
hp_list() {
	hp_rest=${1#* }
	hp_files job_list "${1%% *}" "${hp_rest%% *}" "${hp_rest#* }"
}

# "N PATH", then N lines of what is wanted.
hp_read() {
	hp_n=${1%% *} hp_wanted=''
	case $hp_n in '' | *[!0-9]*) hp_n=0 ;; esac
	while [ "$hp_n" -gt 0 ] && IFS= read -r hp_line; do
		hp_wanted=$hp_wanted$hp_line$hp_nl
		hp_n=$((hp_n - 1))
	done
	hp_files job_read "${1#* }"
}

hp_main() {
	hp_nonce=$1
	shift
	hp_hung='' hp_timeout=''
	# A command that ignores the first signal gets the one that cannot be ignored.
	for hp_try in 'timeout -k 1' timeout 'timeout -t'; do
		$hp_try 1 true </dev/null >/dev/null 2>&1 || continue
		hp_timeout=$hp_try
		break
	done
	printf '\n@hp %s ready 1\n' "$hp_nonce"
	hp_answer "$@"
	while IFS= read -r hp_request; do
		case $hp_request in
		quit) break ;;
		'@list '*) hp_list "${hp_request#@list }" ;;
		'@read '*) hp_read "${hp_request#@read }" ;;
		*) hp_answer $hp_request ;;
		esac
	done
	exit 0
}
