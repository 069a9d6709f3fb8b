"""The sample service, asked by a real client over HTTP, on a Milvus Lite that is served over the network."""

import json
import logging
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
import yaml
from querylab import settings
from querylab.pipeline.lab import Lab
from querylab.retrieval.milvus import collection_name
from querylab.retrieval.milvus_index import index
from querylab.retrieval.milvus_store import Store

from checks.service.app import create
from checks.tests.test_milvus import Server
from checks.tests.test_retrieve import KnownDocuments

FOLDER = settings.ROOT / "checks" / "service"


@pytest.fixture
def milvus(lab: Lab, tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "data")
    store = Store(running.uri, collection_name(lab.corpus.name))
    index(store, lab.corpus.name, lab.corpus.chunks, KnownDocuments(lab))
    yield running
    running.stop()


@pytest.fixture
def service(milvus: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("MILVUS_URI", milvus.uri)
    server = uvicorn.Server(uvicorn.Config(create(), port=0, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def test_a_client_asks_over_http_and_the_trace_is_one_line_of_the_log(
    service: str, milvus: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "querylab.service")
    with httpx.Client(base_url=service, trust_env=False, timeout=20) as client:
        assert client.get("/ready").json()["chunks"] == 124
        said = client.post("/ask", json={"question": "年假能结转几天"}).json()
        assert not said["refused"] and said["sources"][0]["id"] == "annual-leave#3" and said["answer"]
        [line] = [record.message for record in caplog.records if record.name == "querylab.service"]
        logged = json.loads(line)
        assert "\n" not in line and logged["request"] == said["request"]
        assert logged["context"][0] == "annual-leave#3" and logged["searches"][0]["hits"][0]["bm25"] > 0
        assert client.post("/ask", json={"question": ""}).status_code == 422
        assert client.post("/ask", json={"question": "x", "history": [{"role": "x", "content": ""}]}).status_code == 422
        milvus.stop()
        gone = client.post("/ask", json={"question": "差旅住宿标准"})
        assert gone.status_code == 503 and milvus.uri not in gone.text


def test_the_service_is_under_80_lines() -> None:
    assert len((FOLDER / "app.py").read_text(encoding="utf-8").splitlines()) < 80


def test_the_compose_file_hangs_together() -> None:
    found = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    services = found["services"]
    for name, service in services.items():
        assert re.search(r":[\w.-]+$", service["image"]) and "latest" not in service["image"], f"{name} is not pinned"
        assert service["healthcheck"]["test"][0] == "CMD"
        for volume in service["volumes"]:
            assert volume.split(":")[0] in found["volumes"]
    milvus = services["milvus"]
    assert set(milvus["depends_on"]) == set(services) - {"milvus"}
    assert all(rule == {"condition": "service_healthy"} for rule in milvus["depends_on"].values())
    for key in ("ETCD_ENDPOINTS", "MINIO_ADDRESS"):
        assert milvus["environment"][key].split(":")[0] in services
    assert milvus["environment"]["MINIO_SECRET_ACCESS_KEY"] == services["minio"]["environment"]["MINIO_ROOT_PASSWORD"]
    assert all(port.startswith("127.0.0.1:") for port in milvus["ports"]), "open to this machine alone"
