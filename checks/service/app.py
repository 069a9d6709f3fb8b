"""The lab's path as a service: ``POST /ask`` answers with one configuration, and logs its trace as one JSON line.

Start: ``uvicorn --factory checks.service.app:create``; ``SERVICE_CORPUS``, ``SERVICE_CONFIG`` and ``MILVUS_URI`` say on
what.
"""

import json
import logging
import os
import time
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from querylab import settings
from querylab.commands.ask import trace_json
from querylab.corpus.load import load_corpus
from querylab.pipeline.lab import Lab
from querylab.retrieval.milvus import MilvusRetriever, collection_name
from querylab.retrieval.milvus_store import Store
from querylab.retrieval.protocol import EngineError

log = logging.getLogger("querylab.service")


class Message(BaseModel):
    """One message of the conversation before the question."""

    role: str = Field(pattern="^(user|assistant)$")
    content: str


class Question(BaseModel):
    """What a client asks."""

    question: str = Field(min_length=1, max_length=2000)
    history: list[Message] = []


def create() -> FastAPI:
    """Open corpus and index once, and make the service."""
    corpus = load_corpus(os.environ.get("SERVICE_CORPUS", settings.CORPUS_DIR))
    uri = os.environ.get("MILVUS_URI", str(settings.MILVUS_FOLDER))
    store = Store(uri, collection_name(corpus.name), settings.milvus_token(), seconds=3)
    retriever = MilvusRetriever(store, chunks=corpus.chunks, in_threads=True)
    lab = Lab.open(corpus, "solution", retriever=retriever)
    config = lab.config(os.environ.get("SERVICE_CONFIG", "default"))
    app = FastAPI(title="querylab")

    @app.post("/ask")
    async def ask(asked: Question) -> dict[str, object]:
        number, start = uuid4().hex, time.perf_counter()
        trace = await lab.ask(asked.question, [turn.model_dump() for turn in asked.history], config)
        record = {"request": number, "wall_seconds": time.perf_counter() - start} | trace_json(trace, config)
        log.info(json.dumps(record, ensure_ascii=False))
        sources = [{"id": chunk.id, "title": chunk.title, "heading": chunk.heading} for chunk in trace.context.chunks]
        return {"request": number, "answer": trace.answer, "refused": trace.refused, "sources": sources}

    @app.get("/ready")
    async def ready() -> dict[str, object]:
        return {"corpus": corpus.name, "config": config.name, "chunks": retriever.size}

    @app.exception_handler(EngineError)
    async def gone(_: Request, error: EngineError) -> JSONResponse:
        log.error(json.dumps({"error": str(error)}, ensure_ascii=False))
        return JSONResponse({"detail": "The search engine does not answer. Try again later."}, status_code=503)

    return app
