#!/bin/sh
# Starts a Slurm of one node on this machine, for trying slurm.sh out: Debian packages slurm-wlm and munge, as root.
#   sh slurm-on-loopback.sh /tmp/slurm start | stop
set -eu
folder=$1
mkdir -p "$folder/state" "$folder/spool"
conf=$folder/slurm.conf
stop() {
  for name in slurmd slurmctld munged; do
    if [ -s "$folder/$name.pid" ]; then kill "$(cat "$folder/$name.pid")" 2>/dev/null || true; fi
  done
}
if [ "${2:-start}" = stop ]; then stop; exit; fi
host=$(hostname -s)
dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
chmod 700 "$folder" && chmod 600 "$folder/munge.key"
cat > "$conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=60 State=UP
CONF
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
export SLURM_CONF="$conf"
slurmctld -f "$conf"
slurmd -f "$conf" -N "$host"
echo "export SLURM_CONF=$conf"
