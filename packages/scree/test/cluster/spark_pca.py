"""Spark's own PCA of the columns of a query, assembled into vectors: prints components and variance ratios as JSON."""

import json
import sys

from pyspark.ml.feature import PCA, VectorAssembler
from pyspark.sql import SparkSession

url, query, k = sys.argv[1:]
spark = SparkSession.builder.remote(url).getOrCreate()
data = spark.sql(query)
rows = VectorAssembler(inputCols=data.columns, outputCol="features").transform(data)
model = PCA(k=int(k), inputCol="features", outputCol="scores").fit(rows)
print(json.dumps({"components": model.pc.toArray().T.tolist(), "ratios": model.explainedVariance.toArray().tolist()}))
spark.stop()
