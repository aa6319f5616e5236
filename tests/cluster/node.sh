#!/bin/sh
# Becomes one node: runs in network, mount and UTS namespaces of its own, puts
# the node's root, /sys, /proc/driver and mounts together, and then is its sshd.
#
#   node.sh DIR NAME ADDRESS/LEN ROOT_PCT MOUNT
#
# DIR/root holds the files of the node's own. ROOT_PCT: how full / shall be.
# MOUNT: "hung" makes /fsx one that does not answer.
set -eu
dir=$1 name=$2 address=$3 root_pct=$4 fsx=$5
here=$(dirname "$0")

ip link set lo up
ip addr add "$address" dev eth0
ip link set eth0 up
hostname "$name"

mkdir -p "$dir/vol" "$dir/merged"
mount -t tmpfs -o size=24m hpc-root "$dir/vol"
mkdir "$dir/vol/upper" "$dir/vol/work"
cp -a "$dir/root/." "$dir/vol/upper/"
mount -t overlay -o "lowerdir=/,upperdir=$dir/vol/upper,workdir=$dir/vol/work" overlay "$dir/merged"
root=$dir/merged
mkdir -p "$root/fsx" "$root/home" "$root/opt/dlami/nvme" "$root/opt/sagemaker" "$root/run/sshd"

mount --bind /proc "$root/proc"
if [ -d "$root/proc/driver" ]; then
	mount -t tmpfs -o size=1m hpc-driver "$root/proc/driver"
	cp -a "$dir/proc/driver/." "$root/proc/driver/"
fi
mount --bind /dev "$root/dev"
mount -t tmpfs -o size=900g shm "$root/dev/shm"
mount --bind "$dir/sys" "$root/sys"
mount -t tmpfs -o size=64m /dev/mapper/vg.01-lv_ephemeral "$root/opt/dlami/nvme"
mount -t tmpfs -o size=64m /dev/nvme1n1 "$root/opt/sagemaker"
if [ "$fsx" = hung ]; then
	python3 "$here/hungfs.py" "$root/fsx" &
	while ! grep -q " $root/fsx fuse" /proc/self/mounts; do
		kill -0 $!
		sleep 0.02
	done
else
	mount -t tmpfs -o size=64m 10.1.8.20@tcp:/x4k7dbev "$root/fsx"
fi

# Blocks that are free beyond the wanted share are filled.
set -- $(stat -f -c '%b %f %S' "$root")
fill=$((($1 * root_pct / 100 - ($1 - $2)) * $3))
[ "$fill" -le 0 ] || head -c "$fill" /dev/zero >"$root/var/fill"

exec chroot "$root" /usr/sbin/sshd -D -e -f /usr/local/hpc/sshd_config
