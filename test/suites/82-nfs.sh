#!/usr/bin/env bash
# Two whole brokers of one cluster on a real NFS 4.1 server, all three in kernels of their own (User-Mode Linux), under load
# of Kafka clients: a leader, which is the controller too, is cut off from the server for 35 s while its clients still reach
# it; the server loses its power; a leader is cut off from the server alone, and replaced. Nothing acknowledged is lost, and
# a deposed leader acknowledges nothing. A stand-in for the API server and the clients run on this side. Needs root, for
# networks of its own, and Debian's packages.
source "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
suite_begin nfs
PATH=$PATH:/usr/sbin:/sbin
packages="user-mode-linux nfs-kernel-server nfs-common kmod iproute2 e2fsprogs"
if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null && ! { command -v linux.uml && command -v rpc.nfsd && command -v modprobe; } >/dev/null; then
  # shellcheck disable=SC2086 # several words
  apt_install $packages >"$TMP/apt.log" 2>&1 || tail -n 5 "$TMP/apt.log"
fi
for tool in linux.uml rpc.nfsd mount.nfs4 modprobe ip mkfs.ext4 unshare; do need "$tool" "apt-get install $packages"; done
[[ $(id -u) == 0 ]] || need root "a network of its own can only be made by root"
# Not a matter of tools: some sandboxes allow neither.
if ! unshare --net --mount --pid --fork --kill-child --mount-proc true 2>/dev/null || [[ ! -c /dev/net/tun ]]; then
  skipped "nfs: this machine allows no network of one's own (unshare, /dev/net/tun)"
  suite_end
fi
mkdir "$TMP/guests"
run_client nfs 900 "$TEST_HOME/nfs/run.sh" "$TMP/guests"
if ((FAILED > 0)); then tail -n 20 "$TMP"/guests/*.console | sed 's/^/        /'; fi
suite_end
