# Sourced by whatever starts a server on a port.
#   free_port      prints a port of 127.0.0.1 that nobody listens on, and that nobody will be given by chance: it is below
#                  the ports that the kernel gives to clients, one of which could take a broker's while that is down

free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}
