"""A sample service: the lab's path on Milvus behind HTTP. See notebooks/querylab/PRODUCTION.md."""
