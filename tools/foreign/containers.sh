#!/usr/bin/env bash
# Starts MongoDB's container images on the ports from 27017 and prints the connection string:
#
#	containers.sh VERSION standalone|replicaset|sharded
#
# The servers accept fail points, which the tests of retries need. On a machine without Docker nothing starts; the steps behind it
# are tried with the connection string of mongotestd.
set -euo pipefail
version=$1 topology=$2

# run NAME PROGRAM ARGUMENTS... starts a container that shares the network of the machine.
run() {
	local name=$1
	shift
	docker run --detach --name "onion-$name" --network host "mongo:$version" "$@" --setParameter enableTestCommands=1 --bind_ip_all >/dev/null
}

# evaluate NAME PORT CODE runs code in the container's shell: images before 6.0 have the older one, too.
evaluate() {
	docker exec "onion-$1" bash -c 'shell=$(command -v mongosh || command -v mongo); exec "$shell" --quiet --port "$1" --eval "$2"' - "$2" "$3"
}

# await NAME PORT CODE waits at most a minute until code yields true.
await() {
	for _ in $(seq 60); do
		if [ "$(evaluate "$1" "$2" "$3" 2>/dev/null | tail -1)" = true ]; then return; fi
		sleep 1
	done
	echo "containers.sh: $1 does not get ready" >&2
	docker logs --tail 50 "onion-$1" >&2
	exit 1
}

# set_of NAME ROLE PORT... starts a replica set. Its first member is its container for the shell.
set_of() {
	local name=$1 role=$2 first=$3 members=""
	shift 2
	for port in "$@"; do
		run "$name-$port" mongod --replSet "$name" --port "$port" $role
		members+="{_id: $port, host: 'localhost:$port'},"
	done
	await "$name-$first" "$first" 'db.adminCommand({ping: 1}).ok === 1'
	for port in "$@"; do await "$name-$port" "$port" 'db.adminCommand({ping: 1}).ok === 1'; done
	local configured=""
	if [ "$role" = --configsvr ]; then configured="configsvr: true,"; fi
	# The ids of members fit into a byte.
	evaluate "$name-$first" "$first" "rs.initiate({_id: '$name', $configured members: [${members%,}].map((m, i) => ({_id: i, host: m.host}))})" >/dev/null
	await "$name-$first" "$first" 'db.adminCommand({isMaster: 1}).ismaster'
}

case $topology in
standalone)
	run alone mongod --port 27017
	await alone 27017 'db.adminCommand({ping: 1}).ok === 1'
	echo mongodb://localhost:27017/
	;;
replicaset)
	set_of rs "" 27017 27018 27019
	echo 'mongodb://localhost:27017,localhost:27018,localhost:27019/?replicaSet=rs'
	;;
sharded)
	set_of config --configsvr 27020
	set_of shard --shardsvr 27021
	for port in 27017 27018; do run "router-$port" mongos --port "$port" --configdb config/localhost:27020; done
	for port in 27017 27018; do await "router-$port" "$port" 'db.adminCommand({ping: 1}).ok === 1'; done
	evaluate router-27017 27017 "sh.addShard('shard/localhost:27021')" >/dev/null
	echo 'mongodb://localhost:27017,localhost:27018/'
	;;
*)
	echo "containers.sh: topology $topology is not standalone, replicaset or sharded" >&2
	exit 2
	;;
esac
