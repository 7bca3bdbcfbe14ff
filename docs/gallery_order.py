"""The order of the gallery: from a list to what it is worth, how it is learned, and how it is used."""

ORDER = (
    "report",
    "hits",
    "roc_band",
    "comparison",
    "groups",
    "criteria",
    "push",
    "papers",
    "pipeline_search",
    "probabilities",
    "segments",
    "shortlist",
    "decision_curve",
    "monitor",
    "dask",
)


class Order:
    """The place of an example, as sphinx-gallery asks for it; a new one comes last until it has its place."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> int:
        name = file.removeprefix("plot_").removesuffix(".py")
        return ORDER.index(name) if name in ORDER else len(ORDER)
