"""The model of `podium fit` as one of MLflow, which keeps this file and model.podium.

mlflow.pyfunc.save_model(
    "served", python_model="mlflow_model.py", artifacts={"model": "loans/model.podium"}
)
"""

import mlflow

from podium import persist


class Scores(mlflow.pyfunc.PythonModel):
    """Tables in, scores out."""

    def load_context(self, context):
        self.model = persist.load(context.artifacts["model"])

    def predict(self, context, model_input, params=None):
        return self.model.score_rows(model_input)


mlflow.models.set_model(Scores())
