"""Spark's own PCA of a query: prints the seconds of connecting, assembling and fitting, and the components, as JSON. The first argument is a Spark Connect
server, sc://host:port, or a master for a Spark of its own, local[1]: before version 4 its PCA is not there over Spark Connect."""

import json
import sys
import time

from pyspark.ml.feature import PCA, VectorAssembler
from pyspark.sql import SparkSession

url, query, k = sys.argv[1:]
start = time.perf_counter()
spark = (SparkSession.builder.remote(url) if url.startswith("sc://") else SparkSession.builder.master(url)).getOrCreate()
data = spark.sql(query)
rows = VectorAssembler(inputCols=data.columns, outputCol="features").transform(data)
model = PCA(k=int(k), inputCol="features", outputCol="scores").fit(rows)
components = model.pc.toArray().T.tolist()
print(json.dumps({"seconds": time.perf_counter() - start, "components": components}))
spark.stop()
