# Shared by tool.sh and brokers/kafka.sh; sourced. Resolves Apache Kafka's jars once per version.
#   KAFKA_VERSION   4.4.0 (default); 3.7.2 for the older clients and tools
#   KAFKA_JAVA      the java to run (default $JAVA_HOME/bin/java, else java on PATH; 17 or newer)
KAFKA_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
KAFKA_VERSION=${KAFKA_VERSION:-4.4.0}
KAFKA_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kaas-test/apache-kafka-$KAFKA_VERSION
KAFKA_JAVA=${KAFKA_JAVA:-${JAVA_HOME:+$JAVA_HOME/bin/java}}
KAFKA_JAVA=${KAFKA_JAVA:-java}
case $KAFKA_VERSION in
  3.*) KAFKA_PROFILE=kafka3 KAFKA_LOGCONF=-Dlog4j.configuration=file: KAFKA_LOGEXT=log4j.properties ;;
  *) KAFKA_PROFILE=kafka4 KAFKA_LOGCONF=-Dlog4j2.configurationFile= KAFKA_LOGEXT=log4j2.properties ;;
esac

kafka_die() { echo "apache-kafka: $*" >&2; exit 1; }

source "$KAFKA_HOME/../lib/fetch.sh"
source "$KAFKA_HOME/../lib/free-port.sh"

# Safe to call from several processes at a time.
kafka_install() {
  [[ -e $KAFKA_CACHE/.complete ]] && return 0
  command -v mvn >/dev/null || kafka_die "mvn is not on PATH"
  mkdir -p "$KAFKA_CACHE"
  exec 9>"$KAFKA_CACHE/.lock"
  flock 9
  if [[ ! -e $KAFKA_CACHE/.complete ]]; then
    echo "apache-kafka: resolving $KAFKA_VERSION" >&2
    rm -rf "$KAFKA_CACHE/lib"
    fetch maven mvn -B -q -f "$KAFKA_HOME/pom.xml" "-P$KAFKA_PROFILE" "-Dkafka.version=$KAFKA_VERSION" \
      dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$KAFKA_CACHE/lib" \
      >"$KAFKA_CACHE/install.log" 2>&1 9>&- || kafka_die "mvn failed, see $KAFKA_CACHE/install.log"
    local jars=("$KAFKA_CACHE"/lib/*.jar) jar
    (IFS=:; printf '%s' "${jars[*]}") >"$KAFKA_CACHE/classpath"
    for jar in "$KAFKA_CACHE"/lib/kafka*.jar; do unzip -Z1 "$jar"; done |
      sed -n 's#/#.#g; /\$/d; s#\.class$##p' | sort -u >"$KAFKA_CACHE/classes"
    touch "$KAFKA_CACHE/.complete"
    kafka_archive_classes
  fi
  flock -u 9
  exec 9>&-
}

# Archives of loaded classes halve the start of a JVM. Where the dump fails, or a later java does not fit them
# (-Xshare:auto), nothing is lost but time.
kafka_archive_classes() {
  local tmp port broker=$KAFKA_HOME/../brokers/kafka.sh tool=$KAFKA_HOME/tool.sh
  tmp=$(mktemp -d) port=$(free_port)
  {
    KAFKA_BROKER_OPTS="-XX:ArchiveClassesAtExit=$tmp/broker.jsa" "$broker" start "$port" "$tmp/kafka" &&
      "$tool" kafka-topics --bootstrap-server "127.0.0.1:$port" --create --topic archive &&
      echo x | "$tool" kafka-console-producer --bootstrap-server "127.0.0.1:$port" --topic archive &&
      KAFKA_TOOL_OPTS="-XX:ArchiveClassesAtExit=$tmp/tools.jsa" "$tool" kafka-topics \
        --bootstrap-server "127.0.0.1:$port" --describe
    "$broker" stop "$port" "$tmp/kafka"
    mv "$tmp"/*.jsa "$KAFKA_CACHE/"
  } >"$KAFKA_CACHE/archive.log" 2>&1 9>&- || true
  rm -rf "$tmp"
}

# The first of the candidate classes that this version has.
kafka_class() {
  local class
  for class in "$@"; do
    if grep -qxF "$class" "$KAFKA_CACHE/classes"; then echo "$class"; return 0; fi
  done
  return 1
}

# kafka_compile FOLDER FILE…: compiles Java sources into FOLDER when they have changed; of two that come at once the second
# waits, and finds it done
kafka_compile() {
  local classes=$1 stamp
  shift
  stamp=$(cat "$@" | sha256sum)
  {
    flock 9
    if [[ $(cat "$classes.stamp" 2>/dev/null) != "$stamp" ]]; then
      rm -rf "$classes"
      javac -nowarn -Xlint:none -d "$classes" -cp "$(<"$KAFKA_CACHE/classpath")" "$@" 9>&-
      echo "$stamp" >"$classes.stamp"
    fi
  } 9>"$classes.lock"
}

# kafka_program CLASS FILE ARGUMENT…: becomes a Java program of a single file, which is compiled when it has changed.
kafka_program() {
  local main=$1 source=$2 classes
  shift 2
  kafka_install
  classes=$KAFKA_CACHE/${main,,}
  kafka_compile "$classes" "$source"
  exec "$KAFKA_JAVA" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
    "${KAFKA_LOGCONF}$KAFKA_HOME/tools-$KAFKA_LOGEXT" -cp "$classes:$(<"$KAFKA_CACHE/classpath")" "$main" "$@"
}
