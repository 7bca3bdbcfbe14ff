"""A service that scores rows of JSON.

PODIUM_MODEL=loans/model.podium uvicorn rest:app
"""

import os
from typing import Any

from fastapi import FastAPI, HTTPException

from podium import InputError, InputTypeError, persist

app = FastAPI()
model = persist.load(os.environ["PODIUM_MODEL"])


@app.post("/scores")
def scores(rows: list[dict[str, Any]]) -> list[float]:
    try:
        return model.score_rows(rows).tolist()
    except (InputError, InputTypeError) as refusal:
        raise HTTPException(status_code=422, detail=str(refusal)) from None
