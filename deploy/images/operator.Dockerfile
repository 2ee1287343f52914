# The operator. From the root of the repository:
#   docker build -f deploy/images/operator.Dockerfile -t kaas/operator:0.1.0 .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
  && npm run build \
  && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="kaas operator" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
WORKDIR /opt/kaas
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/packages ./packages
COPY --from=build /src/apps ./apps
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["node", "/opt/kaas/apps/operator/dist/main.js"]
