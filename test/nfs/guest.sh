#!/bin/bash
# The one process that a guest starts: a kernel of its own over the host's files, which it cannot change. What the kernel
# does not know of its command line it hands on as variables.
#
#   GUEST_ROLE        server: exports an ext4 file system (ubd0) by NFS 4
#                     client: mounts that at /mnt, and runs GUEST_RUN whenever it does not run
#   GUEST_NAME        of this guest; a client's environment is NAME.env in GUEST_WORK
#   GUEST_ADDRESSES   of its devices vec0, vec1, …, each with the length of its network's prefix, commas between them
#   GUEST_SERVER      address of the server
#   GUEST_OPTIONS     mount options of a client
#   GUEST_TOPIC       whose claims and seals the server writes down each second, in the file epochs in GUEST_WORK
#   GUEST_WORK        folder of the host that the guest may write to, at /media
set -u
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run TMPDIR=/run
mount -t proc proc /proc
mount -t sysfs sys /sys
for folder in /run /var/lib/nfs; do mount -t tmpfs tmp "$folder"; done
mount -t hostfs none /media -o "$GUEST_WORK"
ip link set lo up
device=0
for address in ${GUEST_ADDRESSES//,/ }; do
  # The same whenever it boots, as a machine's is: nobody has to find out who answers to an address now.
  host=${address%/*}
  # shellcheck disable=SC2086 # four words
  ip link set "vec$device" address "$(printf '02:00:%02x:%02x:%02x:%02x' ${host//./ })" up
  ip address add "$address" dev "vec$device"
  device=$((device + 1))
done

fail() { echo "guest: $*"; halt -f; }
mkdir /run/lib
ln -s /usr/lib/uml/modules /run/lib/modules
load() { modprobe -d /run "$1" || fail "module $1 cannot be loaded"; }

serve() {
  load nfsd
  # Whom it knows must outlive the server, or nobody can claim their files again.
  mount -t ext4 /dev/ubda /srv || fail "the image cannot be mounted"
  mkdir -p /srv/export /srv/state
  mount --bind /srv/state /var/lib/nfs
  mkdir -p /var/lib/nfs/v4recovery /run/rpc_pipefs
  touch /var/lib/nfs/etab /var/lib/nfs/rmtab
  mount -t nfsd nfsd /proc/fs/nfsd
  echo 10 >/proc/fs/nfsd/nfsv4leasetime
  echo 10 >/proc/fs/nfsd/nfsv4gracetime
  exportfs -o rw,sync,no_root_squash,no_subtree_check,fsid=0,insecure "*:/srv/export" || fail "exportfs"
  rpc.mountd -N 2 -N 3 || fail "rpc.mountd"
  rpc.nfsd -N 3 -V 4 -V 4.1 -V 4.2 --no-udp 4 || fail "rpc.nfsd"
  echo "guest: serves"
  # Files may go while they are looked at.
  while sleep 1; do
    since=$(date +%s.%N)
    grep -rs --include='*.claim' --include='*.seal' . "/srv/export/$GUEST_TOPIC"
    find "/srv/export/$GUEST_TOPIC" -name '*.claim' -printf '%T@ %p\n' 2>/dev/null
    echo "$since looked"
  done >>/media/epochs
}

use() {
  load nfsv4
  until mount -t nfs4 -o "$GUEST_OPTIONS" "$GUEST_SERVER:/" /mnt; do sleep 0.5; done
  echo "guest: $(grep ' /mnt ' /proc/mounts)"
  set -a
  # shellcheck disable=SC1090 # made for this run
  source "/media/$GUEST_NAME.env"
  set +a
  while :; do
    $GUEST_RUN
    echo "guest: it ended with code $?"
    sleep 1
  done
}

case $GUEST_ROLE in
  server) serve ;;
  client) use ;;
esac
