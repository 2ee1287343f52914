# The broker, and kaasctl beside it. From the root of the repository:
#   docker build -f deploy/images/broker.Dockerfile -t kaas/broker:0.1.0 .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
  && npm run build \
  && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="kaas broker" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
WORKDIR /opt/kaas
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/packages ./packages
COPY --from=build /src/apps ./apps
RUN ln -s /opt/kaas/apps/kaasctl/dist/main.js /usr/local/bin/kaasctl \
  && chmod 0755 apps/kaasctl/dist/main.js \
  && mkdir /data && chown 65532:65532 /data
# No shell stands between: SIGTERM reaches the broker, which hands over and ends.
USER 65532:65532
VOLUME ["/data"]
EXPOSE 9092 9094 8080
ENTRYPOINT ["node", "/opt/kaas/apps/broker/dist/main.cjs"]
