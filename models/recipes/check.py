"""Compares the vectors of two builds of one model: float32, and the one that is shipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

TEXTS = (
    "The gateway listens on port 8443 in staging.",
    "We moved the billing worker from cron to a queue last week.",
    "Never push straight to main; open a pull request and wait for two reviews.",
    "My favourite colour is green, and I drink tea without milk.",
    "How long did the outage on Tuesday last, and who was paged?",
    "ok",
    "def retry(call, times=3):\n    for attempt in range(times):\n        try:\n            return call()\n",
    "SELECT id, name FROM account WHERE created_at > now() - interval '7 days';",
    'TypeError: unsupported operand type(s) for +: "int" and "NoneType"',
    "src/server/routes/health.ts:41:17 - error TS2322: Type 'string' is not assignable to type 'number'.",
    "commit 3f9ac01 fixes the race between flush() and close() in the writer",
    "docker compose up -d postgres redis && make migrate",
    "网关在测试环境监听 8443 端口。",
    "提交之前必须运行所有测试，不要跳过任何一个。",
    "我们上周把账单任务从定时任务改成了队列。",
    "Cổng dịch vụ trong môi trường thử nghiệm là 8443.",
    "Đừng bao giờ đẩy thẳng lên nhánh chính.",
    "Tuần trước chúng tôi đã chuyển việc tính tiền sang hàng đợi.",
    "Le serveur de test écoute sur le port 8443 depuis mardi.",
    "Die Sicherung läuft jede Nacht um drei und dauert etwa zwanzig Minuten.",
    "1. Read the spec. 2. Write a failing test. 3. Make it pass. 4. Clean up.",
    "| name | port |\n| --- | --- |\n| gateway | 8443 |\n| metrics | 9100 |",
    "The quick summary: " + "the cache is warm, the queue is empty, nothing waits. " * 20,
    "🙂 thanks, that worked!",
)


def vectors(model: Path, tokenizer: Path, prefix: str) -> npt.NDArray[np.float32]:
    """Return the mean-pooled unit vectors of :data:`TEXTS`, each embedded alone."""
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    cutter = Tokenizer.from_file(str(tokenizer))
    cutter.no_truncation()
    cutter.no_padding()
    rows = []
    for text in TEXTS:
        ids = np.array([cutter.encode(prefix + text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(axis=0)
        rows.append(mean / np.linalg.norm(mean))
    return np.asarray(rows, dtype=np.float32)


def cosines(one: Path, other: Path, tokenizer: Path, prefix: str) -> npt.NDArray[np.float32]:
    """Return the cosine of each text's two vectors, shape ``(len(TEXTS),)``."""
    product = vectors(one, tokenizer, prefix) * vectors(other, tokenizer, prefix)
    return np.asarray(product.sum(axis=1), dtype=np.float32)
