#!/bin/sh
# Starts the sidecar in its image. Where Cloudflare hands the container's requests to a Worker, it ends their TLS with a
# certificate that is made at the start: commands have to trust it.
# Source: https://developers.cloudflare.com/containers/configuration/outbound-traffic/
set -eu

authority=${EGRESS_AUTHORITY:-/etc/cloudflare/certs/cloudflare-containers-ca.crt}
if [ -f "$authority" ]; then
  cp "$authority" /usr/local/share/ca-certificates/egress.crt
  update-ca-certificates >/dev/null
  # both have a store of their own
  export NODE_EXTRA_CA_CERTS="$authority"
  export REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt
fi
exec node server.ts
