#!/bin/sh
# Makes a Debian root ready for the sidecar: the programs that commands may use, the folders, the dependencies.
# The Dockerfile runs it; on a bare Debian it does the same, beside a Node that is there already.
set -eu

if [ "$(id -u)" != 0 ]; then
  echo "build-root.sh: needs root" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends \
  bash ca-certificates curl findutils git grep jq less libatomic1 openssh-client patch procps python3 python3-venv ripgrep tar tini unzip util-linux xz-utils zip
rm -rf /var/lib/apt/lists/*

# Node's newer builds need libatomic1, so it is asked only now
if ! node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 22 || (major === 22 && minor >= 18) ? 0 : 1)'; then
  echo "build-root.sh: needs Node 22.18 or later" >&2
  exit 1
fi

# 0711: the users of sessions get through to their own folders and see nothing else
install --directory --mode=0711 "${SIDECAR_ROOT:-/var/lib/talaria-sidecar}"
install --directory --mode=0755 "${SIDECAR_SCRIPTS:-/opt/hooks}"

cd "$(dirname "$0")"
npm ci --omit=dev --no-audit --no-fund
npm cache clean --force >/dev/null 2>&1
