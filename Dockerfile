# Relay as an image: built from the checkout, installed as anybody would install it, run by a user without rights.
# Without DATABASE_URL it runs a PostgreSQL of its own in /data. glibc, since that PostgreSQL is built for it.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm run build \
  && mkdir /packed \
  && npm pack ./dist --pack-destination /packed

FROM node:24.21.0-bookworm-slim AS install
COPY --from=build /packed /packed
RUN npm install --global --ignore-scripts --no-audit --no-fund --prefix /opt/relay /packed/*.tgz

FROM node:24.21.0-bookworm-slim
COPY --from=install /opt/relay /opt/relay
# A volume takes its owner from the folder it is first mounted on.
RUN ln -s /opt/relay/bin/relay /usr/local/bin/relay \
  && install --directory --owner=node --group=node --mode=0700 /data /key
USER node
WORKDIR /data
# The key that seals the session does not lie beside it: two volumes, of which a backup of one is no account.
ENV RELAY_HOME=/data RELAY_KEY_FILE=/key/relay.key
VOLUME ["/data", "/key"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["relay", "status"]
ENTRYPOINT ["relay"]
CMD ["start", "--foreground"]
