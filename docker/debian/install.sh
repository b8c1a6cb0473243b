#!/bin/sh
# Installs this tree on one machine with Debian 12 or Ubuntu 24.04, or brings an installation up to
# this version; safe to repeat. As root:
#
#   sh docker/debian/install.sh budget.example.org
#
# Where things go can be said in the environment, and so can what another hand has done already:
# PACKAGES=no, ROLES=no, SERVICES=no. See docs/deployment.md.
set -eu
site=${1:?usage: install.sh NAME-OF-THE-SITE}
tree=$(cd "$(dirname "$0")/../.." && pwd)
ACCOUNT=${ACCOUNT:-dpgov}
ETC=${ETC:-/etc/dpgov}
STATE=${STATE:-/var/lib/dpgov}
CHECKPOINTS=${CHECKPOINTS:-/var/lib/dpgov-checkpoints}
BIN=${BIN:-/usr/local/bin}
UNITS=${UNITS:-/etc/systemd/system}
CADDY=${CADDY:-/etc/caddy}
REDIS=${REDIS:-/etc/redis}
VENV=${VENV:-$tree/.venv}

say() { echo "== $*"; }
is_booted() { [ -d /run/systemd/system ]; }

packages() {
  say "programs of the system"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -q -y postgresql redis-server caddy python3-venv openssl util-linux
}

account() {
  id -u "$ACCOUNT" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$ACCOUNT"
}

environment() {
  say "the locked Python packages, in $tree/.venv"
  # An environment for uv itself: the system's own Python lets nothing be installed into it.
  [ -x "$tree/.uv/bin/uv" ] || { python3 -m venv "$tree/.uv" && "$tree/.uv/bin/pip" install -q uv; }
  # Exactly these: what is not named goes. The client of Spark is for who has such live tables.
  group=
  if grep -qs '^DPGOV_LIVE_SPARK=.' "$ETC/environment"; then group=spark; fi
  (cd "$tree" && UV_PROJECT_ENVIRONMENT=.venv .uv/bin/uv sync -q --locked --no-dev ${group:+--group "$group"})
}

secrets() {
  say "passwords and keys, in $ETC"
  mkdir -p -m 700 "$ETC"
  # Where this key lay before all of them came from here. With another one no data is recognised.
  if [ ! -e "$ETC/fingerprint_key" ] && [ -s "$STATE/fingerprint_key" ]; then
    install -m 600 "$STATE/fingerprint_key" "$ETC/fingerprint_key"
  fi
  for name in secret_key fingerprint_key metrics_token \
    owner_password app_password sweeper_password auditor_password redis_password; do
    [ -s "$ETC/$name" ] || (umask 077 && openssl rand -hex 32 >"$ETC/$name")
  done
  for file in "$tree"/docker/systemd/environment*.example; do
    target=$ETC/$(basename "$file" .example)
    [ -e "$target" ] || (umask 077 && sed "s|budget\.example\.org|$site|g" "$file" >"$target")
  done
}

folders() {
  install -d -m 700 -o "$ACCOUNT" "$STATE" "$STATE/signing" "$STATE/joint_keys" "$CHECKPOINTS"
  # Where the key lay before it had a folder that the other processes cannot open.
  [ ! -e "$STATE/checkpoint_key" ] || mv -n "$STATE/checkpoint_key" "$STATE/signing/checkpoint_key"
}

redis() {
  say "a password for Redis"
  (umask 077 && echo "requirepass $(cat "$ETC/redis_password")" >"$REDIS/dpgov.conf")
  chown redis "$REDIS/dpgov.conf" 2>/dev/null || true
  grep -qx "include $REDIS/dpgov.conf" "$REDIS/redis.conf" || echo "include $REDIS/dpgov.conf" >>"$REDIS/redis.conf"
  if is_booted; then systemctl restart redis-server; fi
}

# In a process of its own, whose end takes the copies of the passwords away, also when it fails.
roles() (
  say "the database and its roles"
  given=$(mktemp -d)
  trap 'rm -r "$given"' EXIT
  trap 'exit 1' HUP INT TERM
  for name in owner app sweeper auditor; do cp "$ETC/${name}_password" "$given"; done
  chmod 700 "$given" && chown -R postgres "$given"
  su postgres -s /bin/sh -c "
    psql -qAt -c \"SELECT 1 FROM pg_database WHERE datname = 'dpgov'\" | grep -q 1 || createdb dpgov
    SECRETS='$given' sh" <"$tree/docker/postgres/roles.sh"
)

wrapper() {
  sed -e "s|@TREE@|$tree|; s|@VENV@|$VENV|; s|@ETC@|$ETC|; s|@STATE@|$STATE|; s|@ACCOUNT@|$ACCOUNT|g" \
    "$tree/docker/debian/dpgov" >"$BIN/dpgov"
  chmod 755 "$BIN/dpgov"
  "$BIN/dpgov" collectstatic --noinput --verbosity 0
}

# Workers of joint answers, whose units the operator made: those that are to run.
joint_units() {
  systemctl list-unit-files --plain --no-legend --state=enabled 'dpgov-joint-*.service' | cut -d ' ' -f 1
}

services() {
  say "services; what they wait for is in journalctl -u dpgov-migrate"
  for file in "$tree"/docker/systemd/*.service; do
    sed "s|/opt/dpgov|$tree|g" "$file" >"$UNITS/$(basename "$file")"
  done
  # Where files lie in object storage, every unit gets its keys.
  if [ -s "$ETC/store_key" ]; then
    install -D -m 644 "$tree/docker/systemd/store.conf" "$UNITS/dpgov-.service.d/store.conf"
  fi
  sed "s|{\$DPGOV_HOST}|$site|; s|web:8000|127.0.0.1:8000|" "$tree/docker/Caddyfile" >"$CADDY/Caddyfile"
  systemctl daemon-reload
  # An upgrade: the old processes end before the tables change.
  systemctl stop 'dpgov-*' 2>/dev/null || true
  # Nothing reads it there any more.
  if cmp -s "$STATE/fingerprint_key" "$ETC/fingerprint_key"; then rm "$STATE/fingerprint_key"; fi
  names=$(cd "$tree/docker/systemd" && basename -s .service -- *.service)
  # shellcheck disable=SC2086 # one word for each unit
  systemctl enable --now $names
  # These ended with the others.
  joint=$(joint_units)
  # shellcheck disable=SC2086 # one word for each unit
  [ -z "$joint" ] || systemctl start $joint
  # It is told of its new configuration by a start alone: nothing listens for a reload (admin off).
  systemctl restart caddy
}

[ "${PACKAGES:-}" = no ] || packages
account
[ "${PACKAGES:-}" = no ] || environment
secrets
folders
[ "${SERVICES:-}" = no ] || redis
[ "${ROLES:-}" = no ] || roles
wrapper
if [ "${SERVICES:-}" != no ]; then services; fi
say "done: dpgov create_tenant NAME ADDRESS-OF-ITS-ADMINISTRATOR"
