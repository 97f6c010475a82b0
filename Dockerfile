# scree for machines without Node. Build it in a clone, then run the command on a folder:
#   docker build -t scree .
#   docker run --rm -v "$PWD":/data scree analyze cars.csv --scale unit
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD":/data scree report cars.csv -o report.html   # writes as you
#   docker run --rm --network host -v "$PWD":/data scree lab cars.csv --port 8765 --no-open
FROM node:22-bookworm-slim AS build
WORKDIR /scree
COPY . .
RUN npm ci && npm run build \
  && mkdir /packed && cd /packed \
  && for name in core analysis files scree; do (cd /scree/packages/$name && npm pack --ignore-scripts --pack-destination /packed); done

FROM node:22-bookworm-slim
# OpenBLAS makes large fits faster; without it WebAssembly computes.
RUN apt-get update && apt-get install -y --no-install-recommends libopenblas0-pthread && rm -rf /var/lib/apt/lists/*
COPY --from=build /packed /packed
# The optional packages: SQL over files and DuckDB databases, Postgres, native BLAS.
RUN npm install --global --ignore-scripts /packed/*.tgz @duckdb/node-api pg pg-copy-streams koffi && rm -r /packed
USER node
WORKDIR /data
ENTRYPOINT ["scree"]
CMD ["--help"]
