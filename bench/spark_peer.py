"""Spark's own PCA of a query: prints the seconds of assembling and fitting, and the components, as JSON."""

import json
import sys
import time

from pyspark.ml.feature import PCA, VectorAssembler
from pyspark.sql import SparkSession

url, query, k = sys.argv[1:]
spark = SparkSession.builder.remote(url).getOrCreate()
data = spark.sql(query)
start = time.perf_counter()
rows = VectorAssembler(inputCols=data.columns, outputCol="features").transform(data)
model = PCA(k=int(k), inputCol="features", outputCol="scores").fit(rows)
components = model.pc.toArray().T.tolist()
print(json.dumps({"seconds": time.perf_counter() - start, "components": components}))
spark.stop()
