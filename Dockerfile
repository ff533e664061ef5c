# To build from a pinned image: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM dependencies AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY src ./src
COPY client/src ./client/src
COPY console ./console
COPY release ./release
# The image is built without the git repository.
ARG BUILD_COMMIT
RUN npm run build

FROM ${NODE_IMAGE}
ARG BUILD_VERSION=1.0.0
ARG BUILD_COMMIT
ARG BUILD_CREATED
LABEL org.opencontainers.image.version=${BUILD_VERSION} \
  org.opencontainers.image.revision=${BUILD_COMMIT} \
  org.opencontainers.image.created=${BUILD_CREATED} \
  org.opencontainers.image.licenses=MIT
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
# The only folder that the service writes to. It contains the SQLite file, unless DATABASE_URL names a server.
RUN install --directory --owner=node --group=node /app/data
COPY package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
VOLUME /app/data
EXPOSE 3000
# A slow start, or a database that becomes available later, does not count as unhealthy.
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process, without a shell or npm around it, so that SIGTERM reaches the service and it can stop
# cleanly. By default, Node 24 lets the young generation of its heap grow to 64 MB. With the limit of Node 20, requests
# take no more CPU time.
CMD ["node", "--max-semi-space-size=16", "dist/main.js"]
